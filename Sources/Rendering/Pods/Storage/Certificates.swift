import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// Mounts the spec's ca-certificates beside the image's own, and names them to Node.js by its variable.
struct CertificateStep: DraftingStep, StoringStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var pod = PodDraft()
    var shared = SharedDraft()
    var reports = ReportCollector()

    mutating func run() -> MountedCertificates? {
        guard !spec.caCertificates.isEmpty, let bundle = bundle() else { return nil }
        var volume = PodVolume(name: bundle.configMap)
        volume.configMap = ConfigMapVolumeSource(name: bundle.configMap, items: bundle.items)
        let name = pod.add(volume)
        let variable = "NODE_EXTRA_CA_CERTS"
        let file = bundle.items.count == 1 ? bundle.items[0].path : Self.allInOne
        let isSet = workload.service.environment[variable] != nil
        return MountedCertificates(
            mounts: bundle.items.map {
                PodMount(
                    name: name, mountPath: "\(Self.directory)/\($0.path)", subPath: $0.path, readOnly: true)
            },
            variable: isSet ? nil : EnvVar(name: variable, value: "\(Self.directory)/\(file)"))
    }

    private static let directory = "/etc/ssl/certs"
    private static let allInOne = "so-ca-certificates.pem"

    private mutating func bundle() -> FileBundle? {
        let key = "ca-certificates"
        if let known = shared.storage.bundles[key] { return known }
        var set = BundledFiles()
        var all: [UInt8] = []
        for entry in spec.caCertificates {
            let path = spec.path(entry.value, homeDirectory: options.homeDirectory)
            do throws(BundledFiles.Problem) {
                try set.add(path, as: lastPathComponent(path), tree: tree)
                all += (set.files.last?.bytes ?? []) + [UInt8(ascii: "\n")]
            } catch {
                reports.error(
                    "ca-certificates: \(path) \(error)", at: entry.mark, hint: "correct the path")
            }
        }
        if set.files.count > 1 {
            let path = "/\(Self.allInOne)"
            try? set.add(path, as: Self.allInOne, tree: .memory([path: all]))
        }
        let result =
            set.files.isEmpty
            ? nil
            : shared.storage.bundle(set, name: key, isFile: false, metadata: metadata("", labels: labels(workload)))
        shared.storage.bundles.updateValue(result, forKey: key)
        return result
    }
}

/// Certificates in a container.
struct MountedCertificates {
    var mounts: [PodMount]
    /// nil where the service sets it by itself.
    var variable: EnvVar?
}
