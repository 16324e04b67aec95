import KubernetesObjects
import OrderedCollections
import Specs

/// Makes objects of what pods mount, and the Secrets of the whole stack.
struct StorageStage: RenderStage {
    let context: RenderContext
    let claims: OrderedDictionary<String, Claim>
    let configMaps: OrderedDictionary<String, ConfigMap>
    var secrets: OrderedDictionary<String, SecretTemplate>

    init(context: RenderContext, draft: StorageDraft) {
        self.context = context
        claims = draft.claims
        configMaps = draft.configMaps
        secrets = draft.secrets
    }

    mutating func run() -> RenderedStorage {
        addStackSecrets()
        let volumes = volumeObjects()
        return RenderedStorage(
            configMaps: Array(configMaps.values), volumes: volumes.volumes, claims: volumes.claims,
            secrets: Array(secrets.values),
            boundVolumes: claims.values.reduce(into: [:]) { paths, claim in paths[claim.name] = claim.boundDevice })
    }
}

/// The objects of what pods mount.
struct RenderedStorage {
    var configMaps: [ConfigMap] = []
    var volumes: [PersistentVolume] = []
    var claims: [PersistentVolumeClaim] = []
    /// Without their values.
    var secrets: [SecretTemplate] = []
    /// See ``RenderedDeployment/boundVolumes``.
    var boundVolumes: [String: String] = [:]
}

extension RenderedStorage: CustomStringConvertible {
    var description: String {
        let objects =
            configMaps.map(KubernetesObject.configMap) + volumes.map(KubernetesObject.persistentVolume)
            + claims.map(KubernetesObject.persistentVolumeClaim)
        let secrets = secrets.map { "Secret \($0.name): \($0.entries.map(\.key).joined(separator: ", "))" }
        return (objects.map { "\($0.kind) \($0.name)" } + secrets).joined(separator: "\n")
    }
}
