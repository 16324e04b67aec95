import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

extension PodStage {
    /// devices as paths of the node.
    mutating func devices(_ workload: ServiceWorkload, pod: inout PodDraft) -> [PodMount] {
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

    /// The spec's ca-certificates: beside the image's own, and for Node.js by its variable.
    mutating func certificates(_ workload: ServiceWorkload, container: inout Container, pod: inout PodDraft)
        -> [PodMount]
    {
        guard !spec.caCertificates.isEmpty, let bundle = certificateBundle(workload) else { return [] }
        var volume = PodVolume(name: bundle.configMap)
        volume.configMap = ConfigMapVolumeSource(name: bundle.configMap, items: bundle.items)
        let name = pod.add(volume)
        let variable = "NODE_EXTRA_CA_CERTS"
        if workload.service.environment[variable] == nil {
            let file = bundle.items.count == 1 ? bundle.items[0].path : Self.allCertificates
            container.env =
                (container.env ?? []) + [EnvVar(name: variable, value: "\(Self.certificateDirectory)/\(file)")]
        }
        return bundle.items.map {
            PodMount(name: name, mountPath: "\(Self.certificateDirectory)/\($0.path)", subPath: $0.path, readOnly: true)
        }
    }

    private static let certificateDirectory = "/etc/ssl/certs"
    private static let allCertificates = "so-ca-certificates.pem"

    private mutating func certificateBundle(_ workload: ServiceWorkload) -> FileBundle? {
        let key = "ca-certificates"
        if let known = storage.bundles[key] { return known }
        var set = BundledFiles()
        var all: [UInt8] = []
        for entry in spec.caCertificates {
            let path = spec.path(entry.value, homeDirectory: options.homeDirectory)
            do throws(BundledFiles.Problem) {
                try set.add(path, as: lastPathComponent(path), tree: tree)
                all += (set.files.last?.bytes ?? []) + [UInt8(ascii: "\n")]
            } catch {
                reports.error(
                    "ca-certificates: \(path) \(describe(error))", at: entry.mark, hint: "correct the path")
            }
        }
        if set.files.count > 1 {
            let path = "/\(Self.allCertificates)"
            try? set.add(path, as: Self.allCertificates, tree: .memory([path: all]))
        }
        let result = set.files.isEmpty ? nil : bundle(set, name: key, isFile: false, labels: labels(workload))
        storage.bundles.updateValue(result, forKey: key)
        return result
    }
}
