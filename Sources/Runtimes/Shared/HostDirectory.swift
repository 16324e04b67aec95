import FoundationEssentials

/// Makes a directory and its parents, with these permissions whatever the umask.
func makeDirectory(_ path: String, mode: Int = 0o755) throws(DeploymentError) {
    do {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: mode])
    } catch {
        throw DeploymentError(.cannotCreate, "the directory \(path) cannot be made", cause: "\(error)")
    }
}
