/// A volume of the cluster, bound to one claim.
package struct PersistentVolume: KubernetesResource {
    package private(set) var apiVersion = "v1"
    package private(set) var kind = "PersistentVolume"
    package var metadata: ObjectMeta
    package var spec: PersistentVolumeSpec

    package init(metadata: ObjectMeta, spec: PersistentVolumeSpec) {
        self.metadata = metadata
        self.spec = spec
    }
}

package struct PersistentVolumeSpec: Codable, Hashable, Sendable {
    /// Quantities by resource; a volume has `storage`.
    package var capacity: StringMap
    package var accessModes: [String]
    /// The empty string keeps every provisioner away.
    package var storageClassName: String?
    package var persistentVolumeReclaimPolicy: String?
    package var volumeMode: String?
    package var hostPath: HostPathVolumeSource?
    package var nfs: NFSVolumeSource?
    package var claimRef: ObjectReference?
    package var mountOptions: [String]?

    package init(storage: String, accessModes: [String]) {
        capacity = ["storage": storage]
        self.accessModes = accessModes
    }
}

/// Names an object of any kind and namespace.
package struct ObjectReference: Codable, Hashable, Sendable {
    package var apiVersion: String?
    package var kind: String?
    package var namespace: String?
    package var name: String?

    package init(apiVersion: String? = nil, kind: String? = nil, namespace: String? = nil, name: String? = nil) {
        self.apiVersion = apiVersion
        self.kind = kind
        self.namespace = namespace
        self.name = name
    }
}
