import ExternalTools
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
        do {
            try WholeFile.write(bytes, to: path, mode: 0o644, aside: "\(path).so-\(getpid())")
        } catch {
            let reason = String(cString: strerror(error.number))
            throw Failure(description: "cannot \(error.verb) \(path): \(reason)")
        }
    }
}
