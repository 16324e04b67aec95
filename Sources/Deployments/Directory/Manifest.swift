import YAML

/// What `so` last wrote into a deployment directory, so that an update can tell its own files from edited ones.
struct Manifest: Hashable {
    /// SHA-256 of every managed file, by its path relative to the directory.
    var files: [String: String] = [:]
    /// Backups that an update made: `true` for one that holds somebody's edit, which is never overwritten.
    var backups: [String: Bool] = [:]

    /// SHA-256 of the files that ``DirectoryContents/seeds`` wrote into directories that services or the operator own.
    var seeds: [String: String] = [:]
    /// The text of config.env as the spec alone gives it; nil where an older `so` wrote the directory.
    var configEnv: String?

    init() {}

    init(node: Node) {
        for entry in node.mapping?["files"]?.mapping?.entries ?? [] { files[entry.key] = entry.value.text }
        configEnv = node.mapping?["config-env"]?.text
        for entry in node.mapping?["seeds"]?.mapping?.entries ?? [] { seeds[entry.key] = entry.value.text }
        for entry in node.mapping?["backups"]?.mapping?.entries ?? [] { backups[entry.key] = entry.value.boolValue }
    }

    var yaml: String {
        var pairs: [(String, Node)] = [
            ("files", .map(files.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
            ("seeds", .map(seeds.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
            ("backups", .map(backups.sorted { $0.key < $1.key }.map { ($0.key, .plain($0.value ? "true" : "false")) })),
        ]
        if let configEnv { pairs.append(("config-env", .string(configEnv))) }
        return Node.map(pairs).yaml()
    }
}
