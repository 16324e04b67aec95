/// Files of mode 0600 that are either whole or absent, also after a crash: there is one name for what is half written, which the next write takes.
package enum PrivateFile {
    /// The content; nil where there is no file.
    package static func read(_ path: String) throws(DeploymentError) -> [UInt8]? { try Files.readIfPresent(path) }

    package static func write(_ bytes: [UInt8], to path: String, mode: UInt32 = 0o600) throws(DeploymentError) {
        try Files.write(bytes, to: path, mode: mode, aside: "\(path).new")
    }

    package static func remove(_ path: String) throws(DeploymentError) { try Files.remove(path) }
}
