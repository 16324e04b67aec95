import Compose
import KubernetesObjects
import OrderedCollections
import Specs

extension PodStage {
    /// Requests and limits: the spec's for the container, else the file's, else the spec's for all. None are invented.
    mutating func resources(_ workload: ServiceWorkload, pod: inout PodDraft) -> ResourceRequirements? {
        let service = workload.service
        let deploy = service.deploy?.resources
        let exact = spec.resources.byContainer[service.name] ?? ContainerResources()
        let common = spec.resources.containers
        var limits: [String: String] = [:]
        var requests: [String: String] = [:]
        let cpu = Amount.atMost(
            Amount.first(
                exact.limitedCPUs, cpus: deploy?.limits?.cpus ?? service.cpus ?? quotaCPUs(service), common.limitedCPUs)
        )
        let memory = Amount.atMost(
            Amount.first(exact.limitedMemory, bytes: deploy?.limits?.memory ?? service.memLimit, common.limitedMemory))
        limits["cpu"] = cpu?.text
        limits["memory"] = memory?.text
        let shares = service.cpuShares.map { Double($0) / 1024 }
        requests["cpu"] = request(
            Amount.first(exact.reservedCPUs, cpus: deploy?.reservations?.cpus ?? shares, common.reservedCPUs),
            limit: cpu, ["deploy.resources.reservations.cpus", "cpu_shares"], workload)
        requests["memory"] = request(
            Amount.first(
                exact.reservedMemory, bytes: deploy?.reservations?.memory ?? service.memReservation,
                common.reservedMemory),
            limit: memory, ["deploy.resources.reservations.memory", "mem_reservation"], workload)
        limits["ephemeral-storage"] = storageLimit(workload)
        if can(.containerSettings) {
            addContainerDevices(workload, to: &pod)
        } else {
            addDevices(workload, to: &limits)
        }
        guard !limits.isEmpty || !requests.isEmpty else { return nil }
        return ResourceRequirements(
            limits: limits.isEmpty ? nil : StringMap(limits), requests: requests.isEmpty ? nil : StringMap(requests))
    }

    /// What is set aside: no more than the limit, which is all that the container can have.
    private mutating func request(
        _ wanted: Amount?, limit: Amount?, _ keys: [String], _ workload: ServiceWorkload
    ) -> String? {
        guard let wanted, wanted.thousandths > 0 else { return nil }
        guard let limit, wanted.thousandths > limit.thousandths else { return wanted.text }
        let key = keys.first { workload.service.keys[$0] != nil } ?? keys[0]
        report(
            workload, key, at: wanted.mark,
            "\(wanted.text) is more than the limit of \(limit.text): so much is set aside",
            hint: "raise the limit, or set less aside")
        return limit.text
    }

    private mutating func storageLimit(_ workload: ServiceWorkload) -> String? {
        guard let written = workload.service.storageOpt["size"] else { return nil }
        if let bytes = ByteSize.parse(written), bytes > 0 { return Quantities.bytes(bytes) }
        report(workload, "storage_opt", "invalid size `\(written)`: it is left out", hint: "write such as 10G")
        return nil
    }

    private func quotaCPUs(_ service: ComposeService) -> Double? {
        guard let quota = service.cpuQuota, quota > 0 else { return nil }
        return Double(quota) / Double(service.cpuPeriod.flatMap { $0 > 0 ? $0 : nil } ?? 100_000)
    }

    private mutating func addDevices(_ workload: ServiceWorkload, to limits: inout [String: String]) {
        for (key, requests) in deviceRequests(workload) {
            for request in requests {
                guard let (resource, count) = gpu(request, key: key, workload) else { continue }
                limits[resource] = "\((limits[resource].flatMap(Int.init) ?? 0) + count)"
            }
        }
    }

    private func deviceRequests(_ workload: ServiceWorkload) -> [(key: String, requests: [DeviceRequest])] {
        let deploy = workload.service.deploy?.resources
        return [
            ("gpus", workload.service.gpus),
            ("deploy.resources.reservations.devices", deploy?.reservations?.devices ?? []),
            ("deploy.resources.limits.devices", deploy?.limits?.devices ?? []),
        ]
    }

    /// What a request for devices says besides which and how many: the container has all that a device can do.
    mutating func reportDeviceOptions(_ workload: ServiceWorkload) {
        for (key, requests) in deviceRequests(workload) {
            for request in requests where !request.options.isEmpty {
                report(
                    workload, "\(key).[].options", at: request.mark,
                    "\(request.options.keys.joined(separator: ", ")) mean nothing to Kubernetes and podman")
            }
        }
    }

    /// On podman the devices of the Container Device Interface: all, so many of them, or those of these ids.
    ///
    /// Rule: <https://docs.podman.io/en/latest/markdown/podman-run.1.html#device-host-device-container-device-permissions>.
    private mutating func addContainerDevices(_ workload: ServiceWorkload, to pod: inout PodDraft) {
        for (key, requests) in deviceRequests(workload) {
            for request in requests {
                guard let vendor = ["nvidia", "amd", "intel"].first(where: { $0 == request.driver ?? "nvidia" }) else {
                    report(
                        workload, key, at: request.mark,
                        "the driver \(request.driver ?? "") has no devices on podman: none is given")
                    continue
                }
                let names: [String]
                switch request.count {
                case _ where !request.deviceIDs.isEmpty: names = request.deviceIDs
                case .number(let count): names = (0..<count).map { "\($0)" }
                case .all, nil: names = ["all"]
                }
                pod.podman[workload.name].devices += names.map { "\(vendor).com/gpu=\($0)" }
            }
        }
    }

    private mutating func gpu(_ request: DeviceRequest, key: String, _ workload: ServiceWorkload) -> (String, Int)? {
        guard request.deviceIDs.isEmpty else {
            refuse(
                workload, key, at: request.mark, "Kubernetes chooses the devices: ids cannot be asked for",
                hint: "write `count:` instead of `device_ids:`")
            return nil
        }
        guard case .number(let count) = request.count else {
            refuse(
                workload, key, at: request.mark, "Kubernetes counts devices: `all` cannot be asked for",
                hint: "write `count: 1` or the number that is wanted")
            return nil
        }
        switch request.driver {
        case nil where request.capabilities.contains("tpu"): return ("google.com/tpu", count)
        case nil, "nvidia": return ("nvidia.com/gpu", count)
        case "amd": return ("amd.com/gpu", count)
        case "intel": return ("gpu.intel.com/i915", count)
        case let driver?:
            report(
                workload, key, at: request.mark,
                "the driver \(driver) has no resource in Kubernetes: no device is given")
            return nil
        }
    }
}
