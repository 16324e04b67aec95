import YAML

/// As much of Helm's template language as the charts use: actions in a line of text, `with` and `range` on lines of their own.
struct HelmEvaluator {
    struct Unknown: Error, CustomStringConvertible {
        var description: String
    }

    let values: Node
    let namespace: String

    /// The text that helm would make of a template.
    func render(_ template: String) throws -> String {
        let lines = template.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return try render(lines[...], dot: nil, variables: [:]).joined(separator: "\n")
    }

    private func render(_ lines: ArraySlice<String>, dot: Node?, variables: [String: Node]) throws -> [String] {
        var result: [String] = []
        var rest = lines
        while let line = rest.popFirst() {
            let trimmed = line.drop { $0 == " " }
            guard trimmed.hasPrefix("{{- ") else {
                result.append(try replace(line, dot: dot, variables: variables))
                continue
            }
            guard let end = rest.firstIndex(where: { $0.drop { $0 == " " } == "{{- end }}" }) else {
                throw Unknown(description: "no end of \(line)")
            }
            let body = rest[..<end]
            rest = rest[rest.index(after: end)...]
            let action = String(trimmed.dropFirst(4).dropLast(3))
            if action.hasPrefix("with ") {
                let value = try evaluate(String(action.dropFirst(5)), dot: dot, variables: variables)
                if !isEmpty(value) { result += try render(body, dot: value, variables: variables) }
            } else if action.hasPrefix("range $key, $value := ") {
                let value = try evaluate(String(action.dropFirst(22)), dot: dot, variables: variables)
                for entry in value.mapping?.entries ?? [] {
                    result += try render(
                        body, dot: dot, variables: ["$key": .string(entry.key), "$value": entry.value])
                }
            } else {
                throw Unknown(description: "unknown action \(action)")
            }
        }
        return result
    }

    private func replace(_ line: String, dot: Node?, variables: [String: Node]) throws -> String {
        guard let open = line.firstRange(of: "{{ ") else {
            guard !line.contains("{{") else { throw Unknown(description: "unknown braces in \(line)") }
            return line
        }
        let rest = String(line[open.upperBound...])
        guard let close = rest.firstRange(of: " }}") else { throw Unknown(description: "never closed: \(line)") }
        let value = try evaluate(String(rest[..<close.lowerBound]), dot: dot, variables: variables)
        let before = String(line[..<open.lowerBound])
        guard !before.contains("{{") else { throw Unknown(description: "unknown braces in \(line)") }
        return try before + (value.text ?? "")
            + replace(String(rest[close.upperBound...]), dot: dot, variables: variables)
    }

    private func evaluate(_ expression: String, dot: Node?, variables: [String: Node]) throws -> Node {
        if expression.hasSuffix(" | toJson") {
            return try json(evaluate(String(expression.dropLast(9)), dot: dot, variables: variables))
        }
        if expression.hasPrefix("toJson ") {
            return try json(evaluate(String(expression.dropFirst(7)), dot: dot, variables: variables))
        }
        switch expression {
        case ".Release.Namespace": return .string(namespace)
        case "\"{{\"": return .string("{{")
        case ".":
            guard let dot else { throw Unknown(description: "no dot") }
            return dot
        case "$key", "$value":
            guard let value = variables[expression] else { throw Unknown(description: "no \(expression)") }
            return value
        default: break
        }
        guard expression.hasPrefix("index .Values ") else { throw Unknown(description: "unknown: \(expression)") }
        let path = try loadYAMLDocument(
            Array("[\(expression.dropFirst(14).split(separator: " ").joined(separator: ","))]".utf8), file: "index")
        return try (path.sequence ?? []).reduce(values) { node, key in
            guard let next = node.mapping?[key.text ?? ""] else {
                throw Unknown(description: "no value at \(expression)")
            }
            return next
        }
    }

    private func json(_ node: Node) -> Node { .string(node.json(pretty: false)) }

    private func isEmpty(_ node: Node) -> Bool {
        switch node.content {
        case .mapping(let mapping): mapping.entries.isEmpty
        case .sequence(let items): items.isEmpty
        case .scalar(let scalar): scalar.text.isEmpty || node.isNull
        }
    }
}
