import Glibc

/// A file that is read whole, and written so that a reader sees the old text or the new one.
package enum AtomicFile {
    /// Why a file was not read or written.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String
    }

    /// Nil where there is none, or where it is not a regular file.
    ///
    /// - Throws: where it is larger than the limit.
    package static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8]? {
        // A pipe under this name must not hold us up.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
        throw Failure(description: "\(path) is larger than \(limit >> 10) KiB")
    }

    package static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let temporary = "\(path).so-\(getpid())"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw failure(path) }
    }

    private static func failure(_ path: String) -> Failure {
        Failure(description: "cannot write \(path): \(String(cString: strerror(errno)))")
    }
}
