import CLinux
import ExternalTools
import FoundationEssentials
import Glibc

/// Files and directories of this host, with errors that name the path.
package enum Files {
    /// Writes a file so that a reader sees the old content or the new one, never a part.
    ///
    /// - Parameters:
    ///   - mode: the permission bits of the new file; secrets take `0o600`.
    ///   - aside: where it is written first; nil: a name that nobody else has.
    /// - Throws: ``DeploymentError`` (`cannotCreate`) naming the path and the system's reason.
    package static func write(
        _ bytes: [UInt8], to path: String, mode: UInt32 = 0o644, aside: String? = nil
    ) throws(DeploymentError) {
        let aside = aside ?? "\(path).so-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        do {
            try WholeFile.write(bytes, to: path, mode: mode, aside: aside)
        } catch {
            throw failure(error, path)
        }
    }

    /// Creates a file that must not exist yet in a tree that ``syncTree(_:)`` makes durable as a whole.
    package static func writeUnsynced(_ bytes: [UInt8], to path: String, mode: UInt32) throws(DeploymentError) {
        do {
            try WholeFile.create(path, bytes, mode: mode, isSynced: false)
        } catch {
            throw failure(error, path)
        }
    }

    /// Makes a tree durable before it gets its final name.
    ///
    /// One fsync a file waits for the disk once a file; writing the file system out waits once.
    package static func syncTree(_ root: String) throws(DeploymentError) {
        let descriptor = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("sync", root) }
        defer { close(descriptor) }
        guard syncfs(descriptor) == 0 else { throw failure("sync", root) }
    }

    /// Renames, replacing a file at the target.
    package static func rename(_ source: String, to target: String) throws(DeploymentError) {
        guard Glibc.rename(source, target) == 0 else { throw failure("rename \(source) to", target) }
    }

    /// Gives a file a second name, replacing what stood under that name.
    package static func linkReplacing(_ source: String, at target: String) throws(DeploymentError) {
        let temporary = "\(target).so-\(getpid())"
        unlink(temporary)
        guard link(source, temporary) == 0 else { throw failure("keep", source) }
        try rename(temporary, to: target)
        // rename(2) of two names of one file does nothing: the temporary one would stay.
        unlink(temporary)
    }

    /// `<path>.bak`, or the first numbered one that is free.
    package static func freeBackup(of path: String) -> String {
        var candidate = "\(path).bak"
        var number = 1
        while exists(candidate) {
            candidate = "\(path).bak.\(number)"
            number += 1
        }
        return candidate
    }

    /// The largest file that is read where nobody asks for more, in bytes.
    package static let largest = 64 << 20

    /// The size of a regular file, links followed; nil for anything else.
    package static func size(_ path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// The file's bytes.
    ///
    /// - Parameter limit: the most bytes that are taken; a larger file is an error.
    package static func read(_ path: String, limit: Int = largest) throws(DeploymentError) -> [UInt8] {
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            var error = failure("read", path)
            if errno == ENOENT || errno == ENOTDIR { error.code = .missing }
            throw error
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("read", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw DeploymentError(.cannotCreate, "cannot read \(path): it is not a regular file")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", path) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<count])
            guard bytes.count <= limit else {
                throw DeploymentError(
                    .unsupported, "cannot read \(path): it is larger than \(limit >> 20) MiB",
                    hint: "see what wrote it; nothing that is read here is that large")
            }
        }
    }

    /// The file's bytes, or nil where there is no such file. Where that cannot be known, since a directory above may not be searched,
    /// it is an error.
    package static func readIfPresent(_ path: String, limit: Int = largest) throws(DeploymentError) -> [UInt8]? {
        do {
            return try read(path, limit: limit)
        } catch {
            guard error.code == .missing else { throw error }
            return nil
        }
    }

    /// Makes a directory and its parents; one that is there already is left alone.
    ///
    /// - Parameter isExact: whether it and its parents have the mode whatever the umask: containers of other users go through them.
    package static func makeDirectory(
        _ path: String, mode: UInt32 = 0o755, isExact: Bool = false
    ) throws(DeploymentError) {
        if mkdir(path, mode) == 0 {
            guard !isExact || chmod(path, mode) == 0 else { throw failure("set the mode of", path) }
            return
        }
        switch errno {
        case EEXIST where isDirectory(path): return
        case EEXIST:
            let what = access(path, F_OK) == 0 ? "a file" : "a dangling link"
            throw DeploymentError(
                .cannotCreate, "cannot create the directory \(path): \(what) exists there",
                hint: "see what put it there, and remove it")
        case ENOENT where parent(of: path) != path:
            try makeDirectory(parent(of: path), mode: isExact ? mode : 0o755, isExact: isExact)
            try makeDirectory(path, mode: mode, isExact: isExact)
        default: throw failure("create the directory", path)
        }
    }

    /// Removes a file or a whole tree, without following symbolic links; what is gone already is not an error.
    package static func remove(_ path: String) throws(DeploymentError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            for name in try list(path) { try remove("\(path)/\(name)") }
            guard rmdir(path) == 0 || errno == ENOENT else { throw failure("remove", path) }
        } else {
            guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove", path) }
        }
    }

    /// Removes what a killed ``write(_:to:mode:)`` left in a directory; nobody else may be writing there.
    package static func removeAbandonedWrites(in directory: String) throws(DeploymentError) {
        guard isDirectory(directory) else { return }
        for name in try list(directory) where isTemporary(name) { try remove("\(directory)/\(name)") }
    }

    private static func isTemporary(_ name: String) -> Bool {
        guard let suffix = name.split(separator: ".").last, suffix.hasPrefix("so-") else { return false }
        let numbers = suffix.dropFirst(3).split(separator: "-", omittingEmptySubsequences: false)
        return !numbers.isEmpty && numbers.allSatisfy { UInt32($0) != nil }
    }

    /// The names in a directory, sorted, without `.` and `..`.
    package static func list(_ path: String) throws(DeploymentError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        } catch {
            throw DeploymentError(.cannotCreate, "cannot list \(path)", cause: "\(error)")
        }
    }

    /// Every regular file below a directory, as paths relative to it, sorted; symbolic links are not followed.
    package static func tree(_ path: String) throws(DeploymentError) -> [String] {
        var files: [String] = []
        for name in try list(path) {
            let child = "\(path)/\(name)"
            if isDirectory(child, followingLinks: false) {
                files += try tree(child).map { "\(name)/\($0)" }
            } else {
                files.append(name)
            }
        }
        return files
    }

    /// Whether anything, a dangling link included, stands at the path.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Whether a directory stands at the path.
    package static func isDirectory(_ path: String, followingLinks: Bool = true) -> Bool {
        var status = stat()
        let result = followingLinks ? stat(path, &status) : lstat(path, &status)
        return result == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether a directory is this user's, and nobody else may look into it; a link is none.
    package static func isPrivateDirectory(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return false }
        return status.st_uid == geteuid() && status.st_mode & 0o077 == 0
    }

    /// Whether two paths lead to one file or directory.
    package static func isSame(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(one, &first) == 0, stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// The permission bits of a file, or nil where there is none.
    package static func mode(_ path: String) -> UInt32? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    /// Takes the permission bits away that a mode lacks.
    package static func restrict(_ path: String, to mode: UInt32) throws(DeploymentError) {
        guard let own = self.mode(path), own & ~mode != 0 else { return }
        guard chmod(path, own & mode) == 0 else { throw failure("set the mode of", path) }
    }

    /// The directory that holds a path.
    package static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes renames in a directory durable; a file system that cannot is not an error.
    package static func syncDirectory(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// The path made absolute against the current directory, with `.` and `..` resolved in its text.
    package static func absolute(_ path: String) -> String {
        let full = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        var parts: [Substring] = []
        for part in full.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// The absolute path without symbolic links; what does not exist yet is taken as it is written.
    package static func canonical(_ path: String) -> String {
        let path = absolute(path)
        if let resolved = realpath(path, nil) {
            defer { free(resolved) }
            return String(cString: resolved)
        }
        let parent = parent(of: path)
        guard parent != path else { return path }
        let above = canonical(parent)
        return (above == "/" ? "" : above) + path.dropFirst(parent == "/" ? 0 : parent.count)
    }

    private static func failure(_ failure: WholeFile.Failure, _ path: String) -> DeploymentError {
        DeploymentError(errno: failure.number, "cannot \(failure.verb) \(path)")
    }

    private static func failure(_ verb: String, _ path: String) -> DeploymentError {
        DeploymentError(errno: errno, "cannot \(verb) \(path)")
    }
}
