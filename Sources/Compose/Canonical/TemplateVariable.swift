import YAML

/// A variable that compose files name, with what they say of it.
package struct TemplateVariable: Hashable, Sendable {
    package var name: String
    package var isRequired = false
    /// The text of `${NAME:-text}`.
    package var defaultText = ""
    /// The text of `${NAME:+text}`.
    package var replacement = ""

    /// The variables that the values of a tree name, each once, sorted by name.
    static func all(in node: Node) -> [TemplateVariable] {
        var collector = Collector()
        collector.visit(node)
        return collector.found.values.sorted { $0.name < $1.name }
    }

    private struct Collector {
        var found: [String: TemplateVariable] = [:]

        mutating func visit(_ node: Node) {
            switch node.content {
            case .scalar(let scalar): visit(Array(scalar.text.utf8)[...], depth: 0)
            case .sequence(let items): for item in items { visit(item) }
            case .mapping(let mapping): for entry in mapping.entries { visit(entry.value) }
            }
        }

        private mutating func visit(_ text: ArraySlice<UInt8>, depth: Int) {
            guard depth < Substitution.depthLimit else { return }
            var index = text.startIndex
            while index + 1 < text.endIndex {
                guard text[index] == UInt8(ascii: "$") else {
                    index += 1
                    continue
                }
                let next = text[index + 1]
                if next == UInt8(ascii: "{"), let expression = try? BracedExpression(text, at: index) {
                    note(expression)
                    visit(expression.argument, depth: depth + 1)
                    index = expression.end
                } else if isNameStart(next) {
                    let end = text[(index + 1)...].firstIndex { !isNamePart($0) } ?? text.endIndex
                    note(TemplateVariable(name: String(decoding: text[(index + 1)..<end], as: UTF8.self)))
                    index = end
                } else {
                    index += 2
                }
            }
        }

        private mutating func note(_ expression: BracedExpression) {
            var variable = TemplateVariable(name: expression.name)
            let argument = String(decoding: expression.argument, as: UTF8.self)
            switch expression.operation?.kind {
            case .fallback: variable.defaultText = argument
            case .replacement: variable.replacement = argument
            case .required: variable.isRequired = true
            case nil: break
            }
            note(variable)
        }

        private mutating func note(_ variable: TemplateVariable) {
            guard var known = found[variable.name] else {
                found[variable.name] = variable
                return
            }
            if known.defaultText.isEmpty { known.defaultText = variable.defaultText }
            if known.replacement.isEmpty { known.replacement = variable.replacement }
            known.isRequired = known.isRequired || variable.isRequired
            found[variable.name] = known
        }
    }
}
