extension FileTree {
    /// A tree of files in memory, by absolute path; directories are implied.
    package static func memory(_ files: [String: [UInt8]], modes: [String: UInt16] = [:]) -> FileTree {
        let files = Dictionary(files.map { (normalizedPath($0.key), $0.value) }) { _, last in last }
        let modes = Dictionary(modes.map { (normalizedPath($0.key), $0.value) }) { _, last in last }
        @Sendable func kind(_ path: String) -> Kind {
            if files[path] != nil { return .file }
            let prefix = path == "/" ? "/" : path + "/"
            return files.keys.contains { $0.hasPrefix(prefix) } ? .directory : .none
        }
        return FileTree(
            read: { (path) throws(FileTreeError) in
                guard let bytes = files[path] else {
                    throw FileTreeError(kind(path) == .directory ? .notAFile : .absent, path: path)
                }
                return bytes
            },
            kind: { kind($0) },
            list: { (path) throws(FileTreeError) in
                guard kind(path) == .directory else { throw FileTreeError(.notADirectory, path: path) }
                let prefix = path == "/" ? "/" : path + "/"
                let names = files.keys.compactMap { key in
                    key.hasPrefix(prefix)
                        ? key.dropFirst(prefix.count).split(separator: "/").first.map(String.init) : nil
                }
                return Set(names).sorted()
            },
            mode: { path in
                switch kind(path) {
                case .none: nil
                case .directory: modes[path] ?? 0o755
                default: modes[path] ?? 0o644
                }
            },
            realPath: { kind($0) == .none ? nil : $0 },
            // A file in memory is never written to, only replaced.
            identity: { files[$0].map { String(decoding: $0, as: UTF8.self) } }
        )
    }

    /// A tree of texts in memory, by absolute path.
    package static func memory(texts: [String: String]) -> FileTree {
        memory(texts.mapValues { Array($0.utf8) })
    }
}
