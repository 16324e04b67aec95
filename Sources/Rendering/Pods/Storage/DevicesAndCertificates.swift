import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// Mounts a service's devices, as paths of the node.
struct DeviceStep: DraftingStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var pod = PodDraft()
    var reports = ReportCollector()

    mutating func run() -> [PodMount] {
        var result: [PodMount] = []
        for device in workload.service.devices {
            guard device.source.hasPrefix("/") else {
                refuse(
                    workload, "devices", at: device.mark, "\(device.source) names a device of docker's plug-ins",
                    hint: "ask for it with `gpus:` or `deploy.resources.reservations.devices`")
                continue
            }
            var volume = PodVolume(name: Names.label("device\(device.source)"))
            // Whether it is a character or block device or a directory of them only the node knows; podman has one flag for all.
            volume.hostPath = HostPathVolumeSource(
                path: device.source, type: can(.oneHost) ? "CharDevice" : nil)
            result.append(
                PodMount(
                    name: pod.add(volume), mountPath: device.target,
                    readOnly: device.permissions.contains("w") ? nil : true))
            if !can(.oneHost), workload.service.privileged != true, !spec.security.privileged {
                report(
                    workload, "devices", at: device.mark,
                    "a container that is not privileged may not use \(device.source)",
                    hint: "add `privileged: true`")
            }
        }
        return result
    }
}
