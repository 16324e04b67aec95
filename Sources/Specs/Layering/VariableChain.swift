import Compose
import OrderedCollections
import YAML

/// The operator's variables, layer upon layer: the environment's, those of credentials-files, the spec's `config`.
struct VariableChain {
    let spec: Spec
    private(set) var variables: OrderedDictionary<String, Variable> = [:]
    private(set) var generators: OrderedDictionary<String, SecretGenerator> = [:]
    private(set) var credentials: OrderedDictionary<String, String> = [:]
    /// What stronger layers set aside, by the variable's name, the weakest first.
    private(set) var shadowed: [String: [ShadowedValue]] = [:]
    /// The names that another value of `config` refers to.
    private(set) var referenced: Set<String> = []

    init(spec: Spec) {
        self.spec = spec
    }

    var scope: VariableScope {
        VariableScope(Dictionary(variables.map { ($0.key, $0.value) }) { _, last in last })
    }

    /// Reads every layer, the weakest first.
    mutating func build(_ options: LayerOptions, _ tree: FileTree, _ diagnostics: inout Diagnostics) {
        addHostEnvironment(options.hostEnvironment, &diagnostics)
        addCredentials(options, tree, &diagnostics)
        addGivenSecrets(options.givenSecrets)
        addConfig(&diagnostics)
        addEdits(options.configEdits, &diagnostics)
        resolveReferences(&diagnostics)
    }

    private mutating func set(_ name: String, _ variable: Variable) {
        if let old = variables.updateValue(variable, forKey: name) {
            let value = ShadowedValue(text: old.value, mark: old.mark, layer: old.layer)
            shadowed[name, default: []].append(value)
        }
    }

    private mutating func addHostEnvironment(_ environment: [String: String], _ diagnostics: inout Diagnostics) {
        for name in spec.envFromHost {
            guard let value = environment[name.value] else {
                diagnostics.warning(
                    "env-from-host: the environment has no \(name.value)", at: name.mark,
                    hint: "export \(name.value), or remove it from the list")
                continue
            }
            let text = TemplateText(value)
            guard !text.isSecret else {
                diagnostics.error("env-from-host: the value of \(name.value) holds reserved characters", at: name.mark)
                continue
            }
            set(name.value, Variable(value: text, layer: .hostEnvironment, mark: name.mark))
        }
    }

    private mutating func addCredentials(
        _ options: LayerOptions, _ tree: FileTree, _ diagnostics: inout Diagnostics
    ) {
        for file in spec.credentialsFiles {
            let path = spec.path(file.value, homeDirectory: options.homeDirectory)
            guard tree.kind(path) == .file else {
                diagnostics.error(
                    "credentials-files: \(path) \(tree.kind(path) == .none ? "does not exist" : "is not a file")",
                    at: file.mark, hint: "create it, or correct the path")
                continue
            }
            let lines = readEnvironmentFile(path, scope: scope, tree: tree, diagnostics: &diagnostics)
            for (name, line) in lines {
                // Nothing is secret about an empty value, and `${NAME:-default}` has to see that it is empty.
                credentials[name] = line.value.isEmpty ? nil : line.value
                let value = line.value.isEmpty ? TemplateText("") : .secret(name)
                set(name, Variable(value: value, layer: .credentialsFile, mark: line.mark))
            }
        }
    }

    private mutating func addGivenSecrets(_ secrets: [String: String]) {
        for (name, text) in secrets.sorted(by: { $0.key < $1.key }) {
            credentials[name] = text.isEmpty ? nil : text
            let value = text.isEmpty ? TemplateText("") : .secret(name)
            set(name, Variable(value: value, layer: .credentialsFile, mark: Mark(file: "(given)")))
        }
    }

    private mutating func addConfig(_ diagnostics: inout Diagnostics) {
        for (name, value) in spec.config {
            let generated = GeneratedValue.parse(
                value.value, variable: name, at: value.mark, diagnostics: &diagnostics)
            credentials[name] = nil
            for (secret, generator) in generated?.generators ?? [:] {
                if secret != name, spec.config[secret] != nil || variables[secret] != nil {
                    diagnostics.error(
                        "config.\(name): its second secret is called \(secret), as another variable is", at: value.mark,
                        hint: "rename one of the variables")
                }
                generators[secret] = generator
            }
            let text = generated?.text ?? TemplateText(value.value)
            set(name, Variable(value: text, layer: .spec, mark: value.mark))
        }
    }
}

extension VariableChain {
    /// What was changed in config.env counts, and is told: the spec says otherwise.
    private mutating func addEdits(
        _ edits: OrderedDictionary<String, Located<String>>, _ diagnostics: inout Diagnostics
    ) {
        for (name, edit) in edits {
            let text = TemplateText(edit.value)
            guard !text.isSecret else {
                diagnostics.error("config.env: the value of \(name) holds reserved characters", at: edit.mark)
                continue
            }
            if let old = variables[name] {
                diagnostics.warning(
                    "config.env: \(name) was changed here, which counts over \(old.mark)", at: edit.mark,
                    hint: "write the value there to have it in one place")
            } else {
                diagnostics.warning(
                    "config.env: \(name) was added here", at: edit.mark,
                    hint: "write it under `config` of spec.yml to have it in one place")
            }
            let isSecret = generators[name] != nil || credentials[name] != nil
            generators[name] = nil
            credentials[name] = isSecret && !edit.value.isEmpty ? edit.value : nil
            let value = credentials[name] == nil ? text : .secret(name)
            set(name, Variable(value: value, layer: .configEnv, mark: edit.mark))
        }
    }

    /// Replaces `${NAME}` in values of `config` where NAME is another of the operator's variables, as stack-orchestrator did; any other
    /// `$` stands for itself. `$${NAME}` is `${NAME}`.
    private mutating func resolveReferences(_ diagnostics: inout Diagnostics) {
        var done: Set<String> = []
        for name in spec.config.keys { resolve(name, [], &done, &diagnostics) }
    }

    private mutating func resolve(
        _ name: String, _ chain: [String], _ done: inout Set<String>, _ diagnostics: inout Diagnostics
    ) {
        guard let variable = variables[name], variable.layer == .spec, !done.contains(name) else { return }
        guard !chain.contains(name) else {
            let circle = (chain.drop { $0 != name } + [name]).joined(separator: " → ")
            diagnostics.error(
                "config: the values refer to each other: \(circle)", at: variable.mark, hint: "break the circle")
            done.insert(name)
            return
        }
        var pieces: [TemplateText.Piece] = []
        for piece in variable.value.pieces {
            guard case .text(let text) = piece else {
                pieces.append(piece)
                continue
            }
            for part in references(in: text) {
                guard case .reference(let other) = part else {
                    if case .text(let text) = part { pieces.append(.text(text)) }
                    continue
                }
                referenced.insert(other)
                resolve(other, chain + [name], &done, &diagnostics)
                pieces += variables[other]?.value.pieces ?? []
            }
        }
        variables[name]?.value = TemplateText(pieces: pieces)
        done.insert(name)
    }

    private enum Part {
        case text(String)
        case reference(String)
    }

    private func references(in text: String) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while let dollar = rest.firstIndex(of: "$") {
            parts.append(.text(String(rest[..<dollar])))
            let body = rest[rest.index(after: dollar)...]
            if let name = reference(body) {
                parts.append(.reference(name))
                rest = body.dropFirst(name.count + 2)
            } else if body.first == "$", let name = reference(body.dropFirst()) {
                parts.append(.text("${\(name)}"))
                rest = body.dropFirst(name.count + 3)
            } else {
                parts.append(.text("$"))
                rest = body
            }
        }
        return parts + [.text(String(rest))]
    }

    /// The name if the text begins with `{NAME}` of a known variable.
    private func reference(_ text: Substring) -> String? {
        // No name is longer; without a bound, a text of `${` alone would be read to its end for each of them.
        guard text.first == "{", let end = text.prefix(258).firstIndex(of: "}") else { return nil }
        let name = String(text[text.index(after: text.startIndex)..<end])
        return variables[name] == nil ? nil : name
    }
}
