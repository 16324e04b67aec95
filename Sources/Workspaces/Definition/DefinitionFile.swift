import Runtimes
import Specs
package import YAML

/// A project's workspace.yml, as it is written: whole or not at all, and only when it is sound.
package struct DefinitionFile: Sendable {
    package let project: Project

    package init(_ project: Project) { self.project = project }

    package var exists: Bool { Files.exists(project.definitionFile) }

    /// The file's own keys; empty where there is none.
    package func node() throws -> Node {
        guard let bytes = try Files.readIfPresent(project.definitionFile) else { return .map([]) }
        let node = try loadYAMLDocument(bytes, file: project.definitionFile)
        return node.isNull ? .map([]) : node
    }

    /// The text that ``write(_:)`` writes.
    ///
    /// - Throws: `InvalidInput` with every fault.
    package func text(_ node: Node) throws -> String {
        let heading = "# The workspace of this project: so workspace. Keys: so schema workspace. Safe to commit.\n"
        let text = heading + ordered(node).yaml()
        var diagnostics = Diagnostics()
        _ = DefinitionDocument(node, layer: .workspace, diagnostics: &diagnostics)
        try diagnostics.throwIfErrors()
        return text
    }

    package func write(_ node: Node) throws {
        try Files.write(Array(try text(node).utf8), to: project.definitionFile)
        giveToOwner()
    }

    package func remove() throws { try Files.remove(project.definitionFile) }

    /// The keys of another document over these: of `languages`, `resources` and the like each key for itself.
    package static func laid(_ new: Node, over old: Node) -> Node {
        var result = old.mapping ?? Mapping()
        for entry in new.mapping?.entries ?? [] {
            if DefinitionDocument.sources.contains(entry.key) {
                for key in DefinitionDocument.sources { result[key] = nil }
            }
            if let inner = entry.value.mapping, let own = result[entry.key]?.mapping {
                var merged = own
                for pair in inner.entries { merged[pair.key] = pair.value }
                result[entry.key] = Node(.mapping(merged))
            } else {
                result[entry.key] = entry.value
            }
        }
        return Node(.mapping(result))
    }

    /// The keys in the order of the documentation, so that two people's files can be compared.
    private func ordered(_ node: Node) -> Node {
        guard case .fields(let fields, _) = Shape.workspace else { return node }
        let names = fields.map(\.name)
        func rank(_ key: String) -> Int { names.firstIndex(of: key) ?? names.count }
        let entries = (node.mapping?.entries ?? []).enumerated().sorted {
            (rank($0.element.key), $0.offset) < (rank($1.element.key), $1.offset)
        }
        return Node(.mapping(Mapping(entries.map(\.element))))
    }

    /// A file that root writes into a user's project is the user's.
    private func giveToOwner() {
        Files.give(project.definitionFile, user: project.owner.user, group: project.owner.group)
    }
}
