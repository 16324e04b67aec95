#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The C library's read, which the name of ``FileTree/read(_:)`` hides inside FileTree.
private func readBytes(_ descriptor: Int32, _ buffer: inout [UInt8], _ count: Int) -> Int {
    read(descriptor, &buffer, count)
}

extension FileTree {
    /// The files of this machine.
    package static let disk = disk(admitting: nil)

    /// The files of this machine, some of which others may change while they are read: what a path led to a moment ago says nothing then.
    ///
    /// - Parameter admits: decides by the path and by where the file lies that was really opened, both absolute; nil: all of them.
    package static func disk(
        admitting admits: (@Sendable (_ path: String, _ opened: String) -> Bool)?
    ) -> FileTree {
        FileTree(
            read: { (path) throws(FileTreeError) in try readFile(path, admits) },
            kind: { path in
                guard let status = fileStatus(path) else { return .none }
                return kind(of: status)
            },
            list: { (path) throws(FileTreeError) in try listDirectory(path) },
            mode: { path in fileStatus(path).map { UInt16($0.st_mode & 0o7777) } },
            realPath: { path in
                guard let resolved = realpath(path, nil) else { return nil }
                defer { free(resolved) }
                return String(cString: resolved)
            },
            identity: { path in fileStatus(path).map { "\($0.st_dev):\($0.st_ino)" } })
    }

    private static func fileStatus(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    private static func kind(of status: stat) -> Kind {
        switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .directory
        default: .other
        }
    }

    private static func failure(_ path: String) -> FileTreeError {
        switch errno {
        case ENOENT, ENOTDIR: FileTreeError(.absent, path: path)
        case EACCES, EPERM: FileTreeError(.notPermitted, path: path)
        default: FileTreeError(.failed, path: path)
        }
    }

    private static func readFile(
        _ path: String, _ admits: ((String, String) -> Bool)?
    ) throws(FileTreeError) -> [UInt8] {
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path) }
        guard kind(of: status) == .file else { throw FileTreeError(.notAFile, path: path) }
        if let admits {
            guard let opened = place(of: descriptor), admits(path, opened) else {
                throw FileTreeError(.leadsElsewhere, path: path)
            }
        }
        guard status.st_size <= largestFile else { throw FileTreeError(.tooLarge, path: path) }
        return try readAll(descriptor, sizeHint: Int(status.st_size), path: path)
    }

    /// Where an open file lies, links resolved; one that was deleted meanwhile has a name that nothing else has.
    private static func place(of descriptor: Int32) -> String? {
        #if os(Linux)
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
            return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
        #else
            var buffer = [CChar](repeating: 0, count: Int(MAXPATHLEN))
            return fcntl(descriptor, F_GETPATH, &buffer) == 0 ? String(cString: buffer) : nil
        #endif
    }

    private static func readAll(
        _ descriptor: Int32, sizeHint: Int, path: String
    ) throws(FileTreeError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(sizeHint)
        var chunk = [UInt8](repeating: 0, count: max(4096, min(sizeHint + 1, 1 << 20)))
        while true {
            let count = readBytes(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(path)
            }
            bytes.append(contentsOf: chunk[..<count])
            guard bytes.count <= largestFile else { throw FileTreeError(.tooLarge, path: path) }
        }
    }

    private static func listDirectory(_ path: String) throws(FileTreeError) -> [String] {
        guard let directory = opendir(path) else {
            throw errno == ENOTDIR ? FileTreeError(.notADirectory, path: path) : failure(path)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
