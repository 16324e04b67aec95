import Compose
import KubernetesObjects
import OrderedCollections

/// What pods mount, while they are rendered: a volume is one of the deployment's once somebody mounts it.
struct StorageDraft {
    /// What stands behind each volume's key.
    var claims: OrderedDictionary<String, Claim> = [:]
    /// The volume that has each claim name.
    var claimOwners: [String: String] = [:]
    var configMaps: OrderedDictionary<String, ConfigMap> = [:]
    /// ConfigMaps by the path that they hold.
    var bundles: [String: FileBundle?] = [:]
    /// Why a path could not become a ConfigMap.
    var bundleProblems: [String: String] = [:]
    var secrets: OrderedDictionary<String, SecretTemplate> = [:]
    /// What pods mount of the host.
    var hostMounts: Set<HostMount> = []
}

extension StorageDraft: CustomStringConvertible {
    var description: String {
        let claims = claims.map { "volume \($0.key): \($0.value.source) \($0.value.name)" }
        let mounts = hostMounts.map { "host \($0.path): \($0.isWritten ? "written" : "read") by \($0.service)" }
        return (claims + configMaps.keys.map { "files \($0)" } + secrets.keys.map { "secret \($0)" } + mounts.sorted())
            .joined(separator: "\n")
    }
}
