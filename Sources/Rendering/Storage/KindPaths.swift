import Specs

/// Where kind's nodes see the directories of this host.
package enum KindPaths {
    /// Where `kind-mount-root` is.
    package static let mountRoot = "/mnt"
    /// Below it every other directory has its own path, so that a mount of any directory above serves as well.
    package static let host = "/host"

    /// - Parameters:
    ///   - path: an absolute path of this host.
    ///   - root: the `kind-mount-root` of the spec.
    package static func node(_ path: String, root: String?) -> String {
        guard let root, path == root || path.hasPrefix(root + "/") else { return host + path }
        return mountRoot + path.dropFirst(root.utf8.count)
    }

    /// The path of this host that nodes see at a path; one that is the nodes' own stays as it is.
    ///
    /// - Parameters:
    ///   - path: an absolute path of the nodes.
    ///   - root: the `kind-mount-root` of the spec.
    package static func hostPath(_ path: String, root: String?) -> String {
        if path.hasPrefix(host + "/") { return String(path.dropFirst(host.utf8.count)) }
        guard let root, path.isPath(atOrBelow: mountRoot) else { return path }
        return root + path.dropFirst(mountRoot.utf8.count)
    }
}
