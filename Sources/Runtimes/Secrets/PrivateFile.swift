package import SystemPackage

/// Files of mode 0600 that are either whole or absent, also after a crash.
package enum PrivateFile {
    /// The content; nil where there is no file.
    package static func read(_ path: String) throws(DeploymentError) -> [UInt8]? {
        do {
            let descriptor = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec])
            return try descriptor.closeAfter { try readAll(descriptor) }
        } catch Errno.noSuchFileOrDirectory {
            return nil
        } catch {
            throw failure("cannot read \(path)", error)
        }
    }

    /// Writes aside with O_EXCL, makes it durable, and renames it over the old one.
    package static func write(
        _ bytes: [UInt8], to path: String, permissions: FilePermissions = [.ownerReadWrite]
    ) throws(DeploymentError) {
        let aside = FilePath(path + ".new")
        do {
            try? removeFile(aside)
            let descriptor = try FileDescriptor.open(
                aside, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                permissions: permissions)
            try descriptor.closeAfter {
                try descriptor.writeAll(bytes)
                try synchronize(descriptor)
            }
            try rename(aside, to: FilePath(path))
            try synchronizeDirectory(FilePath(path).removingLastComponent())
        } catch {
            // Part of a secret on a full disk is neither of use nor to be found by anybody.
            try? removeFile(aside)
            throw failure("cannot write \(path)", error)
        }
    }

    package static func remove(_ path: String) throws(DeploymentError) {
        do {
            try removeFile(FilePath(path))
        } catch Errno.noSuchFileOrDirectory {
            return
        } catch {
            throw failure("cannot remove \(path)", error)
        }
    }

    private static func failure(_ what: String, _ error: any Error) -> DeploymentError {
        guard let reason = error as? Errno else { return DeploymentError(.cannotCreate, what, cause: "\(error)") }
        return DeploymentError(errno: reason.rawValue, what)
    }

    private static func readAll(_ descriptor: FileDescriptor) throws -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try descriptor.read(into: $0) }
            if count == 0 { return all }
            all += buffer[..<count]
        }
    }

    private static func synchronizeDirectory(_ directory: FilePath) throws {
        let descriptor = try FileDescriptor.open(directory, .readOnly, options: [.directory, .closeOnExec])
        try descriptor.closeAfter { try synchronize(descriptor) }
    }
}
