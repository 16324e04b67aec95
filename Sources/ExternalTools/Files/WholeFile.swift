import Glibc

/// Writing that survives a crash: everything goes to another name beside its target, is synced, and renamed. A reader sees the old content or
/// the new one, never a part.
package enum WholeFile {
    /// What the system has refused.
    package struct Failure: Error, Hashable, Sendable {
        /// What was being done: `write`, `set the mode of`, `sync`, `rename`.
        package var verb: String
        /// See errno(3).
        package var number: Int32
    }

    /// - Parameters:
    ///   - mode: the permission bits of the new file, whatever the umask; secrets take `0o600`.
    ///   - aside: where it is written first, in the directory of the target. What stands there is removed: nobody else may be writing it.
    package static func write(
        _ bytes: [UInt8], to path: String, mode: UInt32, aside: String
    ) throws(Failure) {
        unlink(aside)
        do throws(Failure) {
            try create(aside, bytes, mode: mode, isSynced: true)
            guard rename(aside, path) == 0 else { throw Failure(verb: "rename", number: errno) }
        } catch {
            // Part of a secret on a full disk is neither of use nor to be found by anybody.
            unlink(aside)
            throw error
        }
        syncDirectory(of: path)
    }

    /// Creates a file that must not exist yet.
    package static func create(
        _ path: String, _ bytes: [UInt8], mode: UInt32, isSynced: Bool
    ) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw Failure(verb: "write", number: errno) }
        defer { close(descriptor) }
        // The umask must not take bits away from hooks and scripts, nor leave any on a secret.
        guard fchmod(descriptor, mode) == 0 else { throw Failure(verb: "set the mode of", number: errno) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(verb: "write", number: errno) }
            rest = rest.dropFirst(count)
        }
        guard !isSynced || fsync(descriptor) == 0 else { throw Failure(verb: "sync", number: errno) }
    }

    /// Makes renames in a file's directory durable; a file system that cannot is not an error.
    private static func syncDirectory(of path: String) {
        let directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
