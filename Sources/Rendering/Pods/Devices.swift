import Compose
import KubernetesObjects
import OrderedCollections
import Specs

/// Devices that a service asks for.
extension PodStage {
    mutating func addDevices(_ workload: ServiceWorkload, to limits: inout [String: String]) {
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
    mutating func addContainerDevices(_ workload: ServiceWorkload, to pod: inout PodDraft) {
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
