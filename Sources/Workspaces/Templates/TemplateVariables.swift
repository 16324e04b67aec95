import Compose
package import OrderedCollections
import Specs
package import YAML

/// The values of a template's variables, each with the layer that decided it.
package struct TemplateVariables: Sendable {
    /// Who decides a variable, the weakest first.
    package enum Layer: String, Hashable, Sendable {
        case template
        case settings = "user settings"
        case environment
        case file = "env file"
        case flag
    }

    package struct Value: Hashable, Sendable {
        package var text: String
        package var layer: Layer
        package var mark: Mark
    }

    package private(set) var values: OrderedDictionary<String, Value> = [:]
    private let template: Template

    /// Environment variables count where their name begins with `SO_TEMPLATE_`, so that none comes in by accident: an image is shared.
    ///
    /// - Parameters:
    ///   - flags: `NAME=value` each.
    ///   - fixed: what so itself decides, such as BASE_IMAGE.
    package init(
        of template: Template, settings: UserSettings, environment: [String: String],
        file: (bytes: [UInt8], name: String)? = nil, flags: [String] = [], fixed: [String: String] = [:],
        diagnostics: inout Diagnostics
    ) {
        self.template = template
        for variable in template.variables {
            if let text = variable.fallback { set(variable.name, text, .template, variable.mark) }
        }
        for (name, value) in settings.variables { set(name, value.value, .settings, value.mark) }
        for name in names {
            guard let text = environment["SO_TEMPLATE_\(name)"] else { continue }
            set(name, text, .environment, Mark(file: "SO_TEMPLATE_\(name)"))
        }
        for (name, text) in fixed where values[name] == nil || values[name]?.layer == .template {
            values[name] = Value(text: text, layer: .settings, mark: .generated)
        }
        if let file { read(file.bytes, file.name, &diagnostics) }
        for flag in flags { read(flag, &diagnostics) }
    }

    private var names: [String] { template.variables.map(\.name) }

    private mutating func set(_ name: String, _ text: String, _ layer: Layer, _ mark: Mark) {
        guard names.contains(name) else { return }
        values[name] = Value(text: text, layer: layer, mark: mark)
    }

    private mutating func read(_ bytes: [UInt8], _ file: String, _ diagnostics: inout Diagnostics) {
        for line in environmentAssignments(bytes, file: file, diagnostics: &diagnostics) {
            guard names.contains(line.name) else { continue }
            set(line.name, line.value ?? "", .file, line.mark)
        }
    }

    private mutating func read(_ flag: String, _ diagnostics: inout Diagnostics) {
        let parts = flag.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let mark = Mark(file: "--set")
        guard parts.count == 2, let name = parts.first, let value = parts.last else {
            return diagnostics.error("invalid variable '\(flag)': write NAME=value", at: mark)
        }
        guard names.contains(name) else {
            let hint =
                nearest(name, in: names).map { "did you mean '\($0)'?" }
                ?? "its variables: \(names.joined(separator: ", "))"
            return diagnostics.error("the template \(template.name) has no variable \(name)", at: mark, hint: hint)
        }
        set(name, value, .flag, mark)
    }

    /// The Containerfile with every variable put in.
    package func containerfile(diagnostics: inout Diagnostics) -> String? {
        refuseUnset(&diagnostics)
        let mark = Mark(file: template.containerfilePath, line: 1)
        return replaced(template.containerfile, at: mark, &diagnostics)
    }

    /// The template's layer of the definition.
    package func definition(diagnostics: inout Diagnostics) -> DefinitionDocument? {
        guard let node = template.definition else { return nil }
        return DefinitionDocument(replaced(node, &diagnostics), layer: .template, diagnostics: &diagnostics)
    }

    private func refuseUnset(_ diagnostics: inout Diagnostics) {
        for variable in template.variables where variable.isRequired && (values[variable.name]?.text ?? "").isEmpty {
            diagnostics.error(
                "the template \(template.name) needs \(variable.name): \(variable.help)", at: variable.mark,
                hint: "--set \(variable.name)=VALUE, or so settings set variables.\(variable.name) VALUE")
        }
    }

    private func replaced(_ node: Node, _ diagnostics: inout Diagnostics) -> Node {
        var result = node
        switch node.content {
        case .scalar(let scalar):
            guard scalar.text.contains("$") else { return node }
            let text = replaced(scalar.text, at: node.mark, &diagnostics) ?? scalar.text
            if text.isEmpty { return .plain("null", mark: node.mark) }
            result.content = .scalar(Scalar(text: text, isPlain: scalar.isPlain))
        case .sequence(let items):
            result.content = .sequence(items.map { replaced($0, &diagnostics) })
        case .mapping(var mapping):
            for index in mapping.entries.indices {
                mapping.entries[index].value = replaced(mapping.entries[index].value, &diagnostics)
            }
            result.content = .mapping(mapping)
        }
        return result
    }

    private func replaced(_ text: String, at mark: Mark, _ diagnostics: inout Diagnostics) -> String? {
        interpolated(text, at: mark, names: names, diagnostics: &diagnostics) { [values] name in
            values[name].map { Compose.Variable(value: TemplateText($0.text), layer: .commandLine, mark: $0.mark) }
        }
    }
}
