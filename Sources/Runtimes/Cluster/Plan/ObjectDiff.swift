import KubernetesClient
import YAML

/// What would change in an object, field by field.
struct ObjectDiff: Hashable, Sendable {
    /// `spec.replicas: 1 → 2`
    var lines: [String]

    var isEmpty: Bool { lines.isEmpty }

    /// The line that tells a user most: another image first, and what `so` notes on objects for itself last.
    var headline: String? {
        lines.first { $0.contains("].image: ") } ?? lines.first { !$0.contains("metadata.annotations[") } ?? lines.first
    }

    /// Compares two states of one object, what only the server writes left out.
    init(from old: Node, to new: Node, isSecret: Bool = false) {
        var lines: [String] = []
        Self.compare(Self.relevant(old), Self.relevant(new), path: "", into: &lines)
        self.lines = isSecret ? lines.map(Self.masked) : lines
    }

    /// An object without its status and what the server keeps in its metadata.
    private static func relevant(_ node: Node) -> Node {
        guard var mapping = node.mapping else { return node }
        mapping["status"] = nil
        if var metadata = mapping["metadata"]?.mapping {
            for key in ["managedFields", "resourceVersion", "generation", "uid", "creationTimestamp"] {
                metadata[key] = nil
            }
            if var annotations = metadata["annotations"]?.mapping {
                annotations[ClusterNames.applied] = nil
                metadata["annotations"] = annotations.entries.isEmpty ? nil : Node(.mapping(annotations))
            }
            mapping["metadata"] = Node(.mapping(metadata))
        }
        return Node(.mapping(mapping))
    }

    private static func compare(_ old: Node?, _ new: Node?, path: String, into lines: inout [String]) {
        switch (old, new) {
        case (nil, nil): return
        case (let old?, let new?) where old.means(new): return
        case (let old?, let new?):
            if let one = old.mapping, let two = new.mapping {
                let keys = one.entries.map(\.key) + two.entries.map(\.key).filter { one[$0] == nil }
                for key in keys { compare(one[key], two[key], path: step(path, key), into: &lines) }
            } else if let one = old.sequence, let two = new.sequence {
                compareItems(one, two, path: path, into: &lines)
            } else {
                lines.append("\(path): \(short(old)) → \(short(new))")
            }
        case (let old?, nil): lines.append("\(path): \(short(old)) → removed")
        case (nil, let new?): lines.append("\(path): added \(short(new))")
        }
    }

    /// Items with names are matched by them, as the API does; others by their place.
    private static func compareItems(_ one: [Node], _ two: [Node], path: String, into lines: inout [String]) {
        let isNamed = (one + two).allSatisfy { $0["name"]?.text != nil }
        guard isNamed else {
            for index in 0..<max(one.count, two.count) {
                compare(
                    index < one.count ? one[index] : nil, index < two.count ? two[index] : nil,
                    path: "\(path)[\(index)]",
                    into: &lines)
            }
            return
        }
        let names = one.compactMap { $0["name"]?.text } + two.compactMap { $0["name"]?.text }
        var seen: Set<String> = []
        for name in names where seen.insert(name).inserted {
            compare(
                one.first { $0["name"]?.text == name }, two.first { $0["name"]?.text == name },
                path: "\(path)[\(name)]",
                into: &lines)
        }
        let order = (one.compactMap { $0["name"]?.text }, two.compactMap { $0["name"]?.text })
        if lines.isEmpty, order.0 != order.1 { lines.append("\(path): another order") }
    }

    private static func step(_ path: String, _ key: String) -> String {
        let word = key.contains(".") || key.contains("/") ? "[\(key)]" : key
        return path.isEmpty ? word : word.hasPrefix("[") ? path + word : "\(path).\(word)"
    }

    private static func short(_ node: Node) -> String {
        let text = node.json()
        return text.count <= 80 ? text : String(text.prefix(77)) + "…"
    }

    /// Which key of a Secret changes may be said, its values never.
    private static func masked(_ line: String) -> String {
        guard line.hasPrefix("data") || line.hasPrefix("stringData") else { return line }
        let end = line.utf8.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        return "\(line[..<end]): (secret)"
    }
}
