import KubernetesClient
import YAML

/// What would change in an object, field by field.
struct ObjectDiff: Sendable {
    fileprivate struct Change: Sendable {
        enum Step: Hashable, Sendable {
            case key(String)
            /// By its name, else its place.
            case item(String)
        }

        var path: [Step]
        var old: Node?
        var new: Node?
        /// Whether the items are the same in another order.
        var isOrder = false
    }

    private var changes: [Change] = []
    private let isSecret: Bool

    /// Compares two states of one object, what only the server writes left out.
    init(from old: Node, to new: Node, isSecret: Bool = false) {
        self.isSecret = isSecret
        Self.compare(Self.relevant(old), Self.relevant(new), path: [], into: &changes)
    }

    var isEmpty: Bool { changes.isEmpty }

    /// `spec.replicas: 1 → 2`
    var lines: [String] { changes.map { $0.text(isSecret: isSecret) } }

    /// The line that tells a user most: another image first, and what `so` notes on objects for itself last.
    var headline: String? {
        let change = changes.first(where: \.isImage) ?? changes.first { !$0.isAnnotation } ?? changes.first
        return change?.text(isSecret: isSecret)
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

    private static func compare(_ old: Node?, _ new: Node?, path: [Change.Step], into changes: inout [Change]) {
        if let old, let new {
            if old.means(new) { return }
            if let one = old.mapping, let two = new.mapping {
                let keys = one.entries.map(\.key) + two.entries.map(\.key).filter { one[$0] == nil }
                for key in keys { compare(one[key], two[key], path: path + [.key(key)], into: &changes) }
                return
            }
            if let one = old.sequence, let two = new.sequence {
                return compareItems(one, two, path: path, into: &changes)
            }
        }
        guard old != nil || new != nil else { return }
        changes.append(Change(path: path, old: old, new: new))
    }

    /// Items with names are matched by them, as the API does; others by their place.
    private static func compareItems(
        _ one: [Node], _ two: [Node], path: [Change.Step], into changes: inout [Change]
    ) {
        let names = (one.map { $0["name"]?.text }, two.map { $0["name"]?.text })
        guard (names.0 + names.1).allSatisfy({ $0 != nil }) else {
            for index in 0..<max(one.count, two.count) {
                compare(
                    index < one.count ? one[index] : nil, index < two.count ? two[index] : nil,
                    path: path + [.item("\(index)")], into: &changes)
            }
            return
        }
        var seen: Set<String> = []
        for name in (names.0 + names.1).compactMap({ $0 }) where seen.insert(name).inserted {
            compare(
                one.first { $0["name"]?.text == name }, two.first { $0["name"]?.text == name },
                path: path + [.item(name)], into: &changes)
        }
        if changes.isEmpty, names.0 != names.1 { changes.append(Change(path: path, isOrder: true)) }
    }
}

extension ObjectDiff.Change {
    /// Whether a container gets another image.
    fileprivate var isImage: Bool {
        guard path.count > 1, case .item = path[path.count - 2] else { return false }
        return path.last == .key("image")
    }

    fileprivate var isAnnotation: Bool {
        zip(path, path.dropFirst()).contains { $0 == .key("metadata") && $1 == .key("annotations") }
    }

    /// Of a Secret the key, never a value.
    fileprivate func text(isSecret: Bool) -> String {
        let place = path.reduce("") { $0 + $1.text(isFirst: $0.isEmpty) }
        if isSecret, path.first == .key("data") || path.first == .key("stringData") { return "\(place): (secret)" }
        if isOrder { return "\(place): another order" }
        guard let old else { return "\(place): added \(new.map(Self.short) ?? "")" }
        return "\(place): \(Self.short(old)) → \(new.map(Self.short) ?? "removed")"
    }

    private static func short(_ node: Node) -> String {
        let text = node.json()
        return text.count <= 80 ? text : String(text.prefix(77)) + "…"
    }
}

extension ObjectDiff.Change.Step {
    fileprivate func text(isFirst: Bool) -> String {
        switch self {
        case .item(let name): "[\(name)]"
        case .key(let key):
            key.contains(".") || key.contains("/") ? "[\(key)]" : isFirst ? key : ".\(key)"
        }
    }
}
