import KubernetesObjects

/// What stands behind one named volume.
struct Claim: Hashable {
    enum Source: Hashable {
        /// The cluster provisions it.
        case provisioned
        /// A directory of the host, absolute, as the nodes see it.
        case directory(String)
        case nfs(server: String, path: String)
        /// It exists already.
        case external
        /// A tmpfs: no claim at all.
        case memory(size: String?)
    }

    /// The claim's name.
    var name: String
    var source: Source
    var size: String
    var labels: [String: String]
    /// Labels of the objects: those of the first service that mounts it.
    var objectLabels: StringMap
    /// nil: the cluster's default.
    var storageClass: String?
    /// Options of the mount, for nfs.
    var mountOptions: [String] = []
    /// The path of the host that the compose file itself gives the volume.
    var boundDevice: String?

    /// Whether only one node can mount it at a time.
    var isExclusive: Bool {
        switch source {
        case .provisioned, .directory, .external: true
        case .nfs, .memory: false
        }
    }
}
