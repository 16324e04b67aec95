/// A volume of a pod: exactly one source is set.
package struct Volume: Codable, Hashable, Sendable {
    package var name: String
    package var configMap: ConfigMapVolumeSource?
    package var secret: SecretVolumeSource?
    package var emptyDir: EmptyDirVolumeSource?
    package var hostPath: HostPathVolumeSource?
    package var persistentVolumeClaim: PersistentVolumeClaimVolumeSource?
    package var image: ImageVolumeSource?
    package var nfs: NFSVolumeSource?

    package init(name: String) {
        self.name = name
    }
}

/// A ConfigMap as files. Modes are numbers (octal 0444 is 292).
package struct ConfigMapVolumeSource: Codable, Hashable, Sendable {
    package var name: String
    package var items: [KeyToPath]?
    package var defaultMode: Int?
    package var optional: Bool?

    package init(name: String, items: [KeyToPath]? = nil, defaultMode: Int? = nil) {
        self.name = name
        self.items = items
        self.defaultMode = defaultMode
    }
}

/// A Secret as files. Modes are numbers (octal 0444 is 292).
package struct SecretVolumeSource: Codable, Hashable, Sendable {
    package var secretName: String
    package var items: [KeyToPath]?
    package var defaultMode: Int?
    package var optional: Bool?

    package init(secretName: String, items: [KeyToPath]? = nil, defaultMode: Int? = nil) {
        self.secretName = secretName
        self.items = items
        self.defaultMode = defaultMode
    }
}

/// One key of a ConfigMap or Secret, and the file it becomes.
package struct KeyToPath: Codable, Hashable, Sendable {
    package var key: String
    package var path: String
    package var mode: Int?

    package init(key: String, path: String, mode: Int? = nil) {
        self.key = key
        self.path = path
        self.mode = mode
    }
}

/// A directory that lives as long as the pod; `medium: Memory` is a tmpfs.
package struct EmptyDirVolumeSource: Codable, Hashable, Sendable {
    package var medium: String?
    package var sizeLimit: String?

    package init(medium: String? = nil, sizeLimit: String? = nil) {
        self.medium = medium
        self.sizeLimit = sizeLimit
    }
}

/// A path of the node.
package struct HostPathVolumeSource: Codable, Hashable, Sendable {
    package var path: String
    package var type: String?

    package init(path: String, type: String? = nil) {
        self.path = path
        self.type = type
    }
}

/// A claim of the same namespace.
package struct PersistentVolumeClaimVolumeSource: Codable, Hashable, Sendable {
    package var claimName: String
    package var readOnly: Bool?

    package init(claimName: String, readOnly: Bool? = nil) {
        self.claimName = claimName
        self.readOnly = readOnly
    }
}

/// An image's content, read-only.
package struct ImageVolumeSource: Codable, Hashable, Sendable {
    package var reference: String
    package var pullPolicy: String?

    package init(reference: String, pullPolicy: String? = nil) {
        self.reference = reference
        self.pullPolicy = pullPolicy
    }
}

/// An export of an NFS server.
package struct NFSVolumeSource: Codable, Hashable, Sendable {
    package var server: String
    package var path: String
    package var readOnly: Bool?

    package init(server: String, path: String, readOnly: Bool? = nil) {
        self.server = server
        self.path = path
        self.readOnly = readOnly
    }
}

/// Where a container sees a volume.
package struct VolumeMount: Codable, Hashable, Sendable {
    package var name: String
    package var mountPath: String
    package var subPath: String?
    package var readOnly: Bool?
    package var mountPropagation: String?

    package init(name: String, mountPath: String, subPath: String? = nil, readOnly: Bool? = nil) {
        self.name = name
        self.mountPath = mountPath
        self.subPath = subPath
        self.readOnly = readOnly
    }
}
