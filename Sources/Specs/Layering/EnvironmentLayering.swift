import Compose
import OrderedCollections
import YAML

/// Lays the operator's variables over the environments of services.
struct EnvironmentLayering {
    let chain: VariableChain
    let scope: ConfigScope
    /// The variables that some service declares.
    private(set) var declared: Set<String> = []
    /// By variable, whether each value that it replaced was equal to it.
    private(set) var repeated: [String: [Bool]] = [:]

    init(chain: VariableChain, scope: ConfigScope) {
        self.chain = chain
        self.scope = scope
    }

    mutating func apply(to project: inout Project) {
        for name in project.services.keys {
            guard var service = project.services[name] else { continue }
            apply(to: &service)
            project.services[name] = service
        }
        for service in project.disabledServices.values { declared.formUnion(service.environment.keys) }
    }

    private mutating func apply(to service: inout Service) {
        for (name, value) in service.environment {
            service.environment[name] = layered(name, value)
        }
        guard scope == .all else { return }
        for (name, variable) in chain.variables where service.environment[name] == nil {
            declared.insert(name)
            service.environment[name] = value(of: name, variable, over: [])
        }
    }

    private mutating func layered(_ name: String, _ value: EnvironmentValue) -> EnvironmentValue {
        guard let variable = chain.variables[name] else { return sourced(value) }
        declared.insert(name)
        if scope == .interpolation { return sourced(value) }
        if value.layer == .override, !flowsIn(name, value) {
            var value = value
            value.shadowed.append(ShadowedValue(text: variable.value, mark: variable.mark, layer: variable.layer))
            return value
        }
        // The author says how the variable flows in: `NAME: prefix-${NAME}`.
        if flowsIn(name, value) { return sourced(value) }
        repeated[name, default: []].append(value.text == variable.value)
        let old = ShadowedValue(text: value.text, mark: value.mark, layer: value.layer)
        return self.value(of: name, variable, over: value.shadowed + [old])
    }

    private func value(of name: String, _ variable: Variable, over shadowed: [ShadowedValue]) -> EnvironmentValue {
        EnvironmentValue(
            text: variable.value, mark: variable.mark, layer: variable.layer,
            shadowed: shadowed + chain.shadowed[name, default: []])
    }

    private func flowsIn(_ name: String, _ value: EnvironmentValue) -> Bool {
        value.uses.contains { use in
            guard use.name == name else { return false }
            return switch use.outcome {
            case .value, .replacement: true
            case .defaultText, .nothing: false
            }
        }
    }

    /// A value that is nothing but one variable's is decided where that variable is.
    private func sourced(_ value: EnvironmentValue) -> EnvironmentValue {
        guard value.uses.count == 1, let use = value.uses.first, case .value(let variable) = use.outcome,
            variable.value == value.text
        else { return value }
        var value = value
        let written = use.unusedDefault.map {
            [ShadowedValue(text: $0, mark: value.mark, layer: .composeDefault)]
        }
        value.layer = variable.layer
        value.mark = variable.mark
        value.shadowed += (written ?? []) + chain.shadowed[use.name, default: []]
        return value
    }
}
