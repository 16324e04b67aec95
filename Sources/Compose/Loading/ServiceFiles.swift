import OrderedCollections
import YAML

/// Reads the env files and label files of services.
struct ServiceFiles {
    let state: LoadState
    let scopes: Scopes

    func resolve(_ service: inout Service) {
        let scope = scopes.scope(section: "services", name: service.name)
        resolveEnvironment(&service, scope: scope)
        resolveLabels(&service, scope: scope)
    }

    private func resolveEnvironment(_ service: inout Service, scope: VariableScope) {
        guard !service.envFiles.isEmpty else { return }
        let own = service.environment
        var found: OrderedDictionary<String, EnvironmentValue> = [:]
        for file in service.envFiles {
            guard let lines = lines(of: file, service) else { continue }
            for line in lines {
                let known = found
                let lookup = { (name: String) -> Variable? in
                    if let variable = scope[name] { return variable }
                    return (own[name] ?? known[name]).map { Variable(value: $0.text, layer: $0.layer, mark: $0.mark) }
                }
                guard let value = state.value(of: line, lookup: lookup) else { continue }
                let shadowed = found[line.name].map { $0.shadowed + [ShadowedValue($0)] } ?? []
                found[line.name] = environmentValue(value, line, lookup: lookup, shadowed: shadowed)
            }
        }
        for (name, var value) in own {
            if let file = found[name] { value.shadowed = file.shadowed + [ShadowedValue(file)] }
            found[name] = value
        }
        service.environment = found
    }

    private func environmentValue(
        _ text: String, _ line: EnvironmentLine, lookup: (String) -> Variable?, shadowed: [ShadowedValue]
    ) -> EnvironmentValue {
        let template = TemplateText(text)
        if line.value == nil, let variable = lookup(line.name) {
            let use = VariableUse(name: line.name, outcome: .value(variable))
            return EnvironmentValue(
                text: template, mark: line.mark, layer: variable.layer, uses: [use], shadowed: shadowed)
        }
        let uses = line.isTemplate ? state.interpolations[line.mark] ?? [] : []
        return EnvironmentValue(text: template, mark: line.mark, layer: .envFile, uses: uses, shadowed: shadowed)
    }

    private func lines(of file: EnvFile, _ service: Service) -> [EnvironmentLine]? {
        note(file.path, role: .envFile, mark: file.mark, service: service)
        if !file.isRequired, state.tree.kind(file.path) == .none { return nil }
        if !state.options.requiresInputs, state.tree.kind(file.path) == .none {
            state.warning("\(file.path) does not exist", at: file.mark, hint: "create it, or correct the path")
            return nil
        }
        return state.environmentLines(file.path, isRaw: file.format == "raw", at: file.mark)
    }

    private func resolveLabels(_ service: inout Service, scope: VariableScope) {
        guard !service.labelFiles.isEmpty else { return }
        let mark = service.mark(of: "label_file")
        var labels: OrderedDictionary<String, String> = [:]
        for path in service.labelFiles {
            note(path, role: .labelFile, mark: mark, service: service)
            for line in state.environmentLines(path, isRaw: false, at: mark) ?? [] {
                let known = labels
                let lookup = { (name: String) -> Variable? in
                    known[name].map { Variable(value: TemplateText($0), layer: .envFile, mark: line.mark) }
                        ?? scope[name]
                }
                guard let value = state.value(of: line, lookup: lookup) else { continue }
                if state.refusesSecret(value, in: "a label", at: line.mark) { continue }
                labels[line.name] = value
            }
        }
        labels.merge(service.labels) { _, own in own }
        service.labels = labels
    }

    private func note(_ path: String, role: ReferencedPath.Role, mark: Mark, service: Service) {
        let written = state.writtenPaths[mark] ?? path
        state.referencedPaths.append(
            ReferencedPath(path: path, written: written, role: role, mark: mark, service: service.name))
    }
}

extension ShadowedValue {
    init(_ value: EnvironmentValue) {
        self.init(text: value.text, mark: value.mark, layer: value.layer)
    }
}
