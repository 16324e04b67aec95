package import YAML

/// Checks a document against its table and collects every fault, and the place of every key.
package struct Validation {
    package var diagnostics: Diagnostics
    /// By dotted path.
    package private(set) var keys: [String: Mark] = [:]

    package init(diagnostics: Diagnostics = Diagnostics()) {
        self.diagnostics = diagnostics
    }

    /// - Parameter path: the dotted path of the node, empty for the document.
    package mutating func check(_ node: Node, _ shape: Shape, at path: String) {
        if case .any = shape { return }
        if let tag = node.tag {
            diagnostics.error(
                "\(title(path)) has the tag \(tag), which is not supported here", at: node.mark, hint: "remove it")
        }
        if case .nullable(let inner) = shape {
            if !node.isNull { check(node, inner, at: path) }
            return
        }
        if node.isNull { return }
        switch shape {
        case .any, .nullable: break
        case .text, .checked, .bool, .integer: checkScalar(node, shape, at: path)
        case .list(let item): checkList(node, item, at: path)
        case .mapping(let names, let value): checkMapping(node, names, value, at: path)
        case .fields(let fields, let others): checkFields(node, fields, others, at: path)
        case .scalarOr(let scalar, let collection):
            check(node, node.scalar == nil ? collection : scalar, at: path)
        }
    }

    private mutating func checkScalar(_ node: Node, _ shape: Shape, at path: String) {
        guard let text = node.text else { return wrongKind(node, "a single value", at: path) }
        if text.utf8.contains(0) {
            diagnostics.error("\(title(path)) holds a NUL character", at: node.mark, hint: "remove it")
        }
        switch shape {
        case .checked(let rule) where !rule.accepts(text):
            mismatch(text, rule.description, node, at: path, near: rule.values ?? rule.examples)
        case .bool where bool(node) == nil: mismatch(text, "true or false", node, at: path)
        case .integer(let range) where !(Int(text).map(range.contains) ?? false):
            mismatch(text, "a whole number from \(range.lowerBound) to \(range.upperBound)", node, at: path)
        default: break
        }
    }

    private mutating func checkList(_ node: Node, _ item: Shape, at path: String) {
        guard let items = node.sequence else { return wrongKind(node, "a list", at: path) }
        for (index, value) in items.enumerated() {
            if value.isNull {
                diagnostics.error("\(title(path)) has an empty entry", at: value.mark, hint: "remove it or fill it in")
            }
            check(value, item, at: "\(path)[\(index)]")
        }
    }

    private mutating func checkMapping(_ node: Node, _ names: TextRule, _ shape: Shape, at path: String) {
        guard let mapping = node.mapping else { return wrongKind(node, "a map", at: path) }
        for entry in mapping.entries {
            let inner = join(path, entry.key)
            keys[inner] = entry.keyMark
            if !names.accepts(entry.key) {
                diagnostics.error(
                    "\(title(path)): '\(entry.key)' is not \(names.description)", at: entry.keyMark,
                    hint: nearest(entry.key, in: names.values ?? names.examples).map { "did you mean \($0)?" })
            }
            if entry.value.isNull, !shape.takesNull {
                diagnostics.error("\(inner) has no value", at: entry.keyMark, hint: "remove it or fill it in")
            }
            check(entry.value, shape, at: inner)
        }
    }

    private mutating func checkFields(_ node: Node, _ fields: [Field], _ others: Shape?, at path: String) {
        guard let mapping = node.mapping else { return wrongKind(node, "a map", at: path) }
        for entry in mapping.entries {
            let inner = join(path, entry.key)
            keys[inner] = entry.keyMark
            if let field = fields.first(where: { $0.name == entry.key }) {
                check(entry.value, field.shape, at: inner)
            } else if let others {
                check(entry.value, others, at: inner)
            } else if !(path.isEmpty && entry.key.hasPrefix("x-")) {
                unknown(entry, fields, at: path)
            }
        }
        for field in fields where field.isRequired && mapping[field.name]?.isNull ?? true {
            diagnostics.error(
                "\(title(path)) is missing '\(field.name)'", at: node.mark,
                hint: "add '\(field.name):' — \(field.summary)")
        }
    }

    private mutating func unknown(_ entry: Mapping.Entry, _ fields: [Field], at path: String) {
        let hint =
            nearest(entry.key, in: fields.map(\.name)).map { "did you mean '\($0)'?" }
            ?? "known keys: \(fields.map(\.name).joined(separator: ", "))"
        diagnostics.error("\(title(path)): unknown key '\(entry.key)'", at: entry.keyMark, hint: hint)
    }

    private mutating func mismatch(
        _ text: String, _ wanted: String, _ node: Node, at path: String, near: [String] = []
    ) {
        diagnostics.error(
            "\(title(path)): '\(text)' is not \(wanted)", at: node.mark,
            hint: nearest(text, in: near).map { "did you mean \($0)?" })
    }

    private mutating func wrongKind(_ node: Node, _ wanted: String, at path: String) {
        diagnostics.error("\(title(path)) must be \(wanted), and is \(kindName(node))", at: node.mark)
    }

    private func title(_ path: String) -> String { path.isEmpty ? "the file" : path }

    private func join(_ path: String, _ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}

extension Shape {
    fileprivate var takesNull: Bool {
        switch self {
        case .nullable, .any: true
        default: false
        }
    }
}

/// What a node is, in a message.
func kindName(_ node: Node) -> String {
    switch node.content {
    case .scalar(let scalar): scalar.value == .null ? "empty" : "the single value '\(scalar.text)'"
    case .sequence: "a list"
    case .mapping: "a map"
    }
}

/// A bool as stack-orchestrator took it: `true` and `false` in any case, quoted too.
func bool(_ node: Node) -> Bool? {
    switch node.text?.lowercased() {
    case "true": true
    case "false": false
    default: nil
    }
}

func emptyMap(_ node: Node) -> Node { Node(.mapping(Mapping()), mark: node.mark) }
