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
}
