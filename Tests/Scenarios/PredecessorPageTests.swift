import FoundationEssentials
import TestSupport
import Testing
import YAML

/// docs/coming-from-stack-orchestrator.md against the program that it speaks of.
@Suite struct PredecessorPageTests {
    @Test func `every verb and option that the page names is one that so takes`() async throws {
        try await withPodlessSandbox { sandbox in
            let dump = try await sandbox.must("--experimental-dump-help").output
            let document = try loadYAMLDocument(Array(dump.utf8), file: "help")
            let root = try #require(document.mapping?["command"])
            let rows = try Self.rows()
            #expect(rows.count > 60, "the page lists every verb")
            for row in rows { #expect(Self.isKnown(row, below: root), "so has no `\(row)`") }
        }
    }

    /// What the second column of the three-column tables names.
    private static func rows() throws -> [String] {
        let page = try read(Shared.packageRoot + "/docs/coming-from-stack-orchestrator.md")
        return page.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(" ") }
            guard line.hasPrefix("| `"), cells.count >= 2, cells[1].hasPrefix("`") else { return nil }
            return cells[1].trimmingCharacters("`")
        }
    }

    private static func isKnown(_ text: String, below root: Node) -> Bool {
        var command = root
        for word in text.split(separator: " ").map(String.init) {
            if word.hasPrefix("--") {
                let names = (command.mapping?["arguments"]?.sequence ?? []).flatMap { argument in
                    (argument.mapping?["names"]?.sequence ?? []).compactMap { $0.mapping?["name"]?.text }
                }
                return names.contains(String(word.dropFirst(2))) || word == "--help"
            }
            let next = command.mapping?["subcommands"]?.sequence?.first {
                $0.mapping?["commandName"]?.text == word
            }
            guard let next else { return false }
            command = next
        }
        return true
    }
}

extension Substring {
    fileprivate func trimmingCharacters(_ character: Character) -> String { String(self).trimmingCharacters(character) }
}

extension String {
    fileprivate func trimmingCharacters(_ character: Character) -> String {
        var text = self[...]
        while text.first == character { text = text.dropFirst() }
        while text.last == character { text = text.dropLast() }
        return String(text)
    }
}
