/// A claim on storage, bound to a volume or provisioned.
package struct PersistentVolumeClaim: KubernetesResource {
    package private(set) var apiVersion = "v1"
    package private(set) var kind = "PersistentVolumeClaim"
    package var metadata: ObjectMeta
    package var spec: PersistentVolumeClaimSpec

    package init(metadata: ObjectMeta, spec: PersistentVolumeClaimSpec) {
        self.metadata = metadata
        self.spec = spec
    }
}

package struct PersistentVolumeClaimSpec: Codable, Hashable, Sendable {
    package var accessModes: [String]
    /// Nil leaves the class to the cluster's default; the empty string asks for a volume without a class.
    package var storageClassName: String?
    package var volumeName: String?
    package var volumeMode: String?
    package var resources: ResourceRequirements

    package init(storage: String, accessModes: [String]) {
        self.accessModes = accessModes
        resources = ResourceRequirements(requests: ["storage": storage])
    }
}
