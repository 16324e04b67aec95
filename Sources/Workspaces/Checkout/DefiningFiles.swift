/// Paths relative to the project that decide what its sessions may do.
struct DefiningFiles: Hashable, Sendable {
    var names: Set<String> = ["workspace.yml", ".devcontainer.json"]
    var folders = [".devcontainer/", ".so/", "templates/"]

    /// The ones of these that do.
    func among(_ paths: [String]) -> [String] {
        paths.filter { path in
            names.contains(path) || folders.contains { path.hasPrefix($0) || path + "/" == $0 }
                || names.contains { $0.hasPrefix(path + "/") } || Self.isCompose(path)
        }.sorted()
    }

    /// What compose files include is named as they are.
    private static func isCompose(_ path: String) -> Bool {
        let name = path.split(separator: "/").last.map { $0.lowercased() } ?? ""
        return name.contains("compose") && (name.hasSuffix(".yml") || name.hasSuffix(".yaml"))
    }
}
