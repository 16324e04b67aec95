import Glibc

/// Makes a directory and its parents, with these permissions whatever the umask; one that is there already is left alone.
func makeDirectory(_ path: String, mode: UInt32 = 0o755) throws(DeploymentError) {
    if mkdir(path, mode) == 0 {
        guard chmod(path, mode) == 0 else { throw failure(path) }
        return
    }
    let parent = Files.parent(of: path)
    switch errno {
    case EEXIST where Files.isDirectory(path): return
    case ENOENT where parent != path:
        try makeDirectory(parent, mode: mode)
        try makeDirectory(path, mode: mode)
    default: throw failure(path)
    }
}

private func failure(_ path: String) -> DeploymentError {
    guard errno == EEXIST else { return DeploymentError(errno: errno, "the directory \(path) cannot be made") }
    let what = access(path, F_OK) == 0 ? "a file" : "a link that leads nowhere"
    return DeploymentError(
        .cannotCreate, "the directory \(path) cannot be made: \(what) stands there",
        hint: "see what put it there, and remove it")
}
