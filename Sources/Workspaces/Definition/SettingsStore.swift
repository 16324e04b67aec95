import Runtimes
package import YAML

/// The user's settings on the disk.
package struct SettingsStore: Sendable {
    package let file: String

    package init(file: String) { self.file = file }

    /// - Throws: `InvalidInput` with every fault of the file; an absent one is empty settings.
    package func load() throws -> UserSettings { try read(node()) }

    /// Sets one value by its dotted path, such as `workspace.agent`, and checks the whole before it is written.
    package func set(_ path: String, to text: String) throws {
        var node = try node()
        let value = try loadYAMLDocument(Array(text.utf8), file: path)
        Self.put(value, at: path.split(separator: ".").map(String.init), into: &node)
        try write(node)
    }

    /// - Throws: ``WorkspaceError`` (`missing`) where nothing is set there.
    package func unset(_ path: String) throws {
        var node = try node()
        guard try load().value(at: path) != nil else {
            throw WorkspaceError(.missing, "\(path) is not set", hint: "list them: so settings list")
        }
        Self.put(nil, at: path.split(separator: ".").map(String.init), into: &node)
        try write(node)
    }

    private func node() throws -> Node {
        let node = try Files.readIfPresent(file).map { try loadYAMLDocument($0, file: file) }
        return node.flatMap { $0.isNull ? nil : $0 } ?? .map([])
    }

    private func read(_ node: Node) throws -> UserSettings {
        var diagnostics = Diagnostics()
        let settings = UserSettings(node, diagnostics: &diagnostics)
        try diagnostics.throwIfErrors()
        return settings
    }

    private func write(_ node: Node) throws {
        _ = try read(node)
        try Files.makeDirectory(Files.parent(of: file))
        // It may hold names and addresses: nobody else's business.
        try Files.write(Array(node.yaml().utf8), to: file, mode: 0o600)
    }

    private static func put(_ value: Node?, at path: [String], into node: inout Node) {
        guard let key = path.first else { return }
        var mapping = node.mapping ?? Mapping()
        if path.count == 1 {
            mapping[key] = value
        } else {
            var inner = mapping[key] ?? .map([])
            put(value, at: Array(path.dropFirst()), into: &inner)
            mapping[key] = inner.mapping?.entries.isEmpty == false ? inner : nil
        }
        node = Node(.mapping(mapping), mark: node.mark)
    }
}

extension UserSettings {
    /// The value under a dotted path.
    package func value(at path: String) -> Node? {
        path.split(separator: ".").reduce(Optional(node)) { $0?.mapping?[String($1)] }
    }

    /// Every value with its dotted path, in the order of the file.
    package var list: [(path: String, value: Node)] { Self.leaves(node, "") }

    private static func leaves(_ node: Node, _ path: String) -> [(path: String, value: Node)] {
        guard let mapping = node.mapping else { return [(path, node)] }
        return mapping.entries.flatMap { leaves($0.value, path.isEmpty ? $0.key : "\(path).\($0.key)") }
    }
}
