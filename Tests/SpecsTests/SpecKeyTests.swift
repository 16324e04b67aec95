import Compose
import Foundation
import TestSupport
import Testing
import YAML

@testable import Specs

/// The table of spec.yml's keys (`Spec.table`) against what reads, writes, uses and documents them: a key that is added to the table fails
/// these tests until all of that knows it.
@Suite struct SpecKeyTests {
    /// Specs that set every key among them.
    private static let documents = [
        SpecTests.whole,
        """
        stack: demo
        deploy-to: podman
        allowed-paths: [/srv]
        network: {isolate: true, disable-dns: [back]}
        image-pull-secret: {server: s, username: u, token-file: /t}
        resources:
          containers: {db: {reservations: {cpus: 0.5, memory: 100M}, limits: {cpus: 2, memory: 1G}}}
        """,
    ]

    /// A key by its path, `*` standing for a name of the user's.
    private struct Key: Hashable {
        var path: [String]
        var isRequired: Bool
        var text: String { path.joined(separator: ".") }
    }

    private static func keys(of shape: Shape, _ path: [String] = []) -> [Key] {
        switch shape {
        case .fields(let fields, let others):
            let own = fields.flatMap { field in
                [Key(path: path + [field.name], isRequired: field.isRequired)]
                    + keys(of: field.shape, path + [field.name])
            }
            return own + (others.map { keys(of: $0, path + ["*"]) } ?? [])
        case .mapping(_, let value): return keys(of: value, path + ["*"])
        case .list(let item): return keys(of: item, path + ["[]"])
        case .nullable(let inner): return keys(of: inner, path)
        case .scalarOr(_, let other): return keys(of: other, path)
        case .text, .checked, .bool, .integer, .any: return []
        }
    }

    /// Every key but those of the free names' own tables, which repeat those of the fixed names.
    private static let all = Set(keys(of: .spec))

    private static func documentNodes() throws -> [Node] {
        try documents.map { try loadYAMLDocument(Array($0.utf8), file: "/d/spec.yml") }
    }

    /// The node without a key, and whether it was there.
    private static func removing(_ path: ArraySlice<String>, from node: Node) -> (node: Node, isFound: Bool) {
        guard let first = path.first else { return (node, false) }
        let rest = path.dropFirst()
        switch node.content {
        case .sequence(let items) where first == "[]":
            let changed = items.map { removing(rest, from: $0) }
            return (Node(.sequence(changed.map(\.node))), changed.contains(where: \.isFound))
        case .mapping(var mapping):
            if rest.isEmpty, first != "*" {
                guard let value = mapping[first], !value.isNull else { return (node, false) }
                mapping[first] = nil
                return (Node(.mapping(mapping)), true)
            }
            var isFound = false
            for index in mapping.entries.indices where first == "*" || mapping.entries[index].key == first {
                let changed = removing(rest, from: mapping.entries[index].value)
                mapping.entries[index].value = changed.node
                isFound = isFound || changed.isFound
            }
            return (Node(.mapping(mapping)), isFound)
        default: return (node, false)
        }
    }

    private static func written(_ node: Node) -> String? { spec(node.yaml()).spec?.node.yaml() }

    @Test func `every key is read, and written again`() throws {
        var (unset, lost): (Set<String>, Set<String>) = ([], [])
        for key in Self.all {
            var isFound = false
            for node in try Self.documentNodes() {
                let without = Self.removing(key.path[...], from: node)
                guard without.isFound else { continue }
                isFound = true
                guard !key.isRequired else { continue }
                if Self.written(without.node) == Self.written(node) { lost.insert(key.text) }
            }
            if !isFound { unset.insert(key.text) }
        }
        #expect(unset == [], "set them in a spec of these tests")
        #expect(lost == [], "a spec without them is the same: their rows read and write something else")
    }

    @Test func `every key is documented`() throws {
        let root = Shared.packageRoot
        var text = try String(contentsOfFile: root + "/README.md", encoding: .utf8)
        for file in try FileManager.default.contentsOfDirectory(atPath: root + "/docs") where file.hasSuffix(".md") {
            text += try String(contentsOfFile: "\(root)/docs/\(file)", encoding: .utf8)
        }
        // What stands between the odd backquotes is code.
        let spans = text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter {
            $0.offset % 2 == 1
        }
        let words = Set(
            spans.flatMap { $0.element.split { !($0.isLetter || $0.isNumber || $0 == "-") } }.map(String.init))
        let names = Set(Self.all.compactMap(\.path.last)).subtracting(["*", "[]"])
        #expect(names.subtracting(words).sorted() == [])
    }

    /// Where a key is used: by its Swift name, outside of what reads, writes and checks the spec.
    @Test func `every key of the top is used by something`() throws {
        let root = Shared.packageRoot + "/Sources"
        var text = ""
        for case let file as String in try #require(FileManager.default.enumerator(atPath: root))
        where file.hasSuffix(".swift") && !file.hasPrefix("Specs/Spec/") && !file.hasPrefix("Specs/Schema/") {
            text += try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8)
        }
        let names = Mirror(reflecting: Spec()).children.compactMap(\.label)
        #expect(names.count > 25)
        #expect(names.filter { !text.contains(".\($0)") } == [])
    }
}
