import Compose
import KubernetesObjects
import OrderedCollections
import Specs

/// Renders the devices that a service asks for by number or name.
struct DeviceRequestStep: DraftingStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var pod = PodDraft()
    var reports = ReportCollector()

    /// - Returns: the resources of Kubernetes that count them; on podman, the pod has the devices instead.
    mutating func run() -> [String: String] {
        var limits: [String: String] = [:]
        if can(.containerSettings) {
            addContainerDevices()
            return limits
        }
        for (key, requests) in workload.deviceRequests {
            for request in requests {
                guard let (resource, count) = gpu(request, key: key) else { continue }
                limits[resource] = "\((limits[resource].flatMap(Int.init) ?? 0) + count)"
            }
        }
        return limits
    }

    /// On podman the devices of the Container Device Interface: all, so many of them, or those of these ids.
    ///
    /// Rule: <https://docs.podman.io/en/latest/markdown/podman-run.1.html#device-host-device-container-device-permissions>.
    private mutating func addContainerDevices() {
        for (key, requests) in workload.deviceRequests {
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

    private mutating func gpu(_ request: DeviceRequest, key: String) -> (String, Int)? {
        guard request.deviceIDs.isEmpty else {
            refuse(
                workload, key, at: request.mark, "Kubernetes chooses the devices: ids cannot be asked for",
                hint: "write `count:` instead of `device_ids:`")
            return nil
        }
        guard case .number(let count) = request.count else {
            refuse(
                workload, key, at: request.mark, "Kubernetes counts devices: `all` cannot be asked for",
                hint: "write `count: 1` or the number that you need")
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

extension ServiceWorkload {
    /// What the service asks for, by the key that says it.
    var deviceRequests: [(key: String, requests: [DeviceRequest])] {
        let deploy = service.deploy?.resources
        return [
            ("gpus", service.gpus),
            ("deploy.resources.reservations.devices", deploy?.reservations?.devices ?? []),
            ("deploy.resources.limits.devices", deploy?.limits?.devices ?? []),
        ]
    }
}
