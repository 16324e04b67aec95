import Compose
import KubernetesObjects
import OrderedCollections
import Stacks

extension Renderer {
    /// Requests and limits: the spec's for the container, else the file's, else the spec's for all. None are invented.
    mutating func resources(_ unit: Unit, pod: inout PodDraft) -> ResourceRequirements? {
        let service = unit.service
        let deploy = service.deploy?.resources
        let exact = spec.resources.byContainer[service.name] ?? ContainerResources()
        let common = spec.resources.containers
        var limits: [String: String] = [:]
        var requests: [String: String] = [:]
        limits["cpu"] =
            exact.limitedCPUs?.value.text ?? (deploy?.limits?.cpus ?? service.cpus ?? quotaCPUs(service)).map(
                Quantities.cpus)
            ?? common.limitedCPUs?.value.text
        limits["memory"] =
            exact.limitedMemory?.value.text ?? (deploy?.limits?.memory ?? service.memLimit).map(Quantities.bytes)
            ?? common.limitedMemory?.value.text
        requests["cpu"] =
            exact.reservedCPUs?.value.text
            ?? (deploy?.reservations?.cpus ?? service.cpuShares.map { Double($0) / 1024 }).map(Quantities.cpus)
            ?? common.reservedCPUs?.value.text
        requests["memory"] =
            exact.reservedMemory?.value.text ?? (deploy?.reservations?.memory ?? service.memReservation).map(
                Quantities.bytes)
            ?? common.reservedMemory?.value.text
        limits["ephemeral-storage"] = service.storageOpt["size"]
        if options.target == .podman {
            addContainerDevices(unit, to: &pod)
        } else {
            addDevices(unit, to: &limits)
        }
        guard !limits.isEmpty || !requests.isEmpty else { return nil }
        return ResourceRequirements(
            limits: limits.isEmpty ? nil : StringMap(limits), requests: requests.isEmpty ? nil : StringMap(requests))
    }

    private func quotaCPUs(_ service: ComposeService) -> Double? {
        guard let quota = service.cpuQuota, quota > 0 else { return nil }
        return Double(quota) / Double(service.cpuPeriod.flatMap { $0 > 0 ? $0 : nil } ?? 100_000)
    }

    private mutating func addDevices(_ unit: Unit, to limits: inout [String: String]) {
        for (key, requests) in deviceRequests(unit) {
            for request in requests {
                guard let (resource, count) = gpu(request, key: key, unit) else { continue }
                limits[resource] = "\((limits[resource].flatMap(Int.init) ?? 0) + count)"
            }
        }
    }

    private func deviceRequests(_ unit: Unit) -> [(key: String, requests: [DeviceRequest])] {
        let deploy = unit.service.deploy?.resources
        return [
            ("gpus", unit.service.gpus),
            ("deploy.resources.reservations.devices", deploy?.reservations?.devices ?? []),
            ("deploy.resources.limits.devices", deploy?.limits?.devices ?? []),
        ]
    }

    /// On podman the devices of the Container Device Interface: all, so many of them, or those of these ids.
    ///
    /// Rule: <https://docs.podman.io/en/latest/markdown/podman-run.1.html#device-host-device-container-device-permissions>.
    private mutating func addContainerDevices(_ unit: Unit, to pod: inout PodDraft) {
        for (key, requests) in deviceRequests(unit) {
            for request in requests {
                guard let vendor = ["nvidia", "amd", "intel"].first(where: { $0 == request.driver ?? "nvidia" }) else {
                    report(
                        unit, key, at: request.mark,
                        "the driver \(request.driver ?? "") has no devices on podman: none is given")
                    continue
                }
                let names: [String]
                switch request.count {
                case _ where !request.deviceIDs.isEmpty: names = request.deviceIDs
                case .number(let count): names = (0..<count).map { "\($0)" }
                case .all, nil: names = ["all"]
                }
                for name in names { addSetting("device=\(vendor).com/gpu=\(name)", unit, to: &pod) }
            }
        }
    }

    private mutating func gpu(_ request: DeviceRequest, key: String, _ unit: Unit) -> (String, Int)? {
        guard request.deviceIDs.isEmpty else {
            refuse(
                unit, key, at: request.mark, "Kubernetes chooses the devices: ids cannot be asked for",
                hint: "write `count:` instead of `device_ids:`")
            return nil
        }
        guard case .number(let count) = request.count else {
            refuse(
                unit, key, at: request.mark, "Kubernetes counts devices: `all` cannot be asked for",
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
                unit, key, at: request.mark, "the driver \(driver) has no resource in Kubernetes: no device is given")
            return nil
        }
    }
}
