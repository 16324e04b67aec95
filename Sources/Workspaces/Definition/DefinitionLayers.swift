import Specs
package import YAML

/// One layer of a definition: a document with the keys of workspace.yml.
package struct DefinitionDocument: Sendable {
    package var layer: DefinitionLayer
    package var node: Node

    /// - Parameter diagnostics: receives every key that is unknown and every value that does not fit.
    package init(_ node: Node, layer: DefinitionLayer, diagnostics: inout Diagnostics) {
        self.layer = layer
        self.node = node
        var validation = Validation()
        validation.check(node, .workspace, at: "")
        diagnostics.append(contentsOf: validation.diagnostics.list)
        checkTogether(&diagnostics)
    }

    /// - Parameter file: the name in diagnostics.
    package init(_ bytes: [UInt8], file: String, layer: DefinitionLayer, diagnostics: inout Diagnostics) {
        var node = Node.map([])
        do {
            let read = try loadYAMLDocument(bytes, file: file)
            if !read.isNull { node = read }
        } catch {
            diagnostics.append(contentsOf: error.diagnostics)
        }
        self.init(node, layer: layer, diagnostics: &diagnostics)
    }

    private func checkTogether(_ diagnostics: inout Diagnostics) {
        let sources = (node.mapping?.entries ?? []).filter { Self.sources.contains($0.key) }
        if let second = sources.dropFirst().first, let first = sources.first {
            diagnostics.error(
                "`\(first.key)` and `\(second.key)` contradict each other", at: second.keyMark,
                hint: "an image has one beginning: remove one of them")
        }
        var databases: Set<String> = []
        for item in node.items("databases") {
            let name = item.text ?? item.mapping?.entries.first?.key ?? ""
            guard !databases.insert(name).inserted else { continue }
            diagnostics.error("databases: \(name) is listed twice", at: item.mark, hint: "remove one of them")
        }
        for entry in node.entries("languages") { checkVersion(entry, &diagnostics) }
        for name in ["profiles", "services"] where node.value(name) != nil && node.value("compose") == nil {
            diagnostics.warning(
                "`\(name)` chooses among compose services, and there is no `compose:`",
                at: node.mapping?.keyMark(name), hint: "add `compose: compose.yml`")
        }
    }

    private func checkVersion(_ entry: Mapping.Entry, _ diagnostics: inout Diagnostics) {
        guard let language = Language.named(entry.key), let version = entry.value.text,
            !language.versions.contains(version)
        else { return }
        let near = language.nearestVersion(version)
        diagnostics.error(
            "languages.\(entry.key): no version '\(version)'", at: entry.value.mark,
            hint: "the nearest is \"\(near)\"; all: \(language.versions.joined(separator: ", "))")
    }

    /// Keys of which a definition has one.
    static let sources = ["template", "image", "build"]
}

extension Language {
    /// The version of the list whose numbers are nearest to these.
    package func nearestVersion(_ version: String) -> String {
        func numbers(_ text: String) -> [Int] { text.split(separator: ".").map { Int($0.filter(\.isNumber)) ?? 0 } }
        func distance(_ other: String) -> [Int] {
            let (one, two) = (numbers(version), numbers(other))
            return (0..<3).map { index in
                abs((one.count > index ? one[index] : 0) - (two.count > index ? two[index] : 0))
            }
        }
        let sorted = versions.sorted { distance($0).lexicographicallyPrecedes(distance($1)) }
        return sorted.first ?? version
    }
}

/// Lays documents over each other: of a mapping each key is decided for itself, a list or a single value as a whole.
struct DefinitionMerge {
    private(set) var merged = Mapping()
    private(set) var origins: [String: ValueOrigin] = [:]

    mutating func add(_ document: DefinitionDocument) {
        let entries = document.node.mapping?.entries ?? []
        if entries.contains(where: { DefinitionDocument.sources.contains($0.key) }) {
            for key in DefinitionDocument.sources { remove(key) }
        }
        for entry in entries where !entry.key.hasPrefix("x-") && !entry.value.isNull {
            if let inner = entry.value.mapping, entry.key != "build" {
                merge(inner, under: entry.key, mark: entry.value.mark, layer: document.layer)
            } else {
                merged[entry.key] = entry.value
                origins[entry.key] = ValueOrigin(layer: document.layer, mark: entry.value.mark)
            }
        }
    }

    private mutating func merge(_ inner: Mapping, under key: String, mark: Mark, layer: DefinitionLayer) {
        var own = merged[key]?.mapping ?? Mapping()
        for entry in inner.entries {
            own[entry.key] = entry.value
            origins["\(key).\(entry.key)"] = ValueOrigin(layer: layer, mark: entry.value.mark)
        }
        merged[key] = Node(.mapping(own), mark: mark)
    }

    private mutating func remove(_ key: String) {
        merged[key] = nil
        origins[key] = nil
    }
}
