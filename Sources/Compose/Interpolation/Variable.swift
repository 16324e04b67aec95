package import YAML

/// Where a value was decided, the weakest first.
package enum Layer: String, Hashable, Sendable, CaseIterable, Comparable {
    /// A default in a compose file: `${NAME:-default}`.
    case composeDefault = "compose default"
    /// Written in a compose file.
    case composeFile = "compose file"
    /// A line of a service's `env_file`.
    case envFile = "env_file"
    /// A line of the project directory's `.env`, or of an include's.
    case dotEnv = ".env"
    /// The operator's environment, for names that the spec lists in `env-from-host`.
    case hostEnvironment = "host environment"
    /// A line of one of the spec's credentials files; secret.
    case credentialsFile = "credentials file"
    /// The spec's `config`.
    case spec = "spec config"
    /// A line of the deployment's config.env that was changed by hand.
    case configEnv = "config.env"
    /// The spec's `overrides`.
    case override = "spec overrides"
    /// A flag.
    case commandLine = "command line"

    package static func < (left: Layer, right: Layer) -> Bool {
        (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
}

/// What interpolation finds under a name.
package struct Variable: Hashable, Sendable {
    package var value: TemplateText
    package var layer: Layer
    package var mark: Mark

    package init(value: TemplateText, layer: Layer, mark: Mark) {
        self.value = value
        self.layer = layer
        self.mark = mark
    }
}

/// The variables that interpolation sees, besides those of `.env`, which any name here overrides.
package struct VariableScope: Hashable, Sendable {
    package private(set) var variables: [String: Variable]

    package init(_ variables: [String: Variable] = [:]) {
        self.variables = variables
    }

    package subscript(name: String) -> Variable? {
        get { variables[name] }
        set { variables[name] = newValue }
    }

    /// The scope with these names alone, and those of compose itself.
    package func only(_ names: Set<String>) -> VariableScope {
        VariableScope(variables.filter { names.contains($0.key) || $0.key.hasPrefix("COMPOSE_") || $0.key == "PWD" })
    }

    package var names: some Collection<String> { variables.keys }

    /// This scope, with what only the other one has added.
    package func filling(from other: VariableScope) -> VariableScope {
        VariableScope(variables.merging(other.variables) { mine, _ in mine })
    }
}

/// A variable without a default that nothing sets.
package struct UnsetVariable: Hashable, Sendable {
    package var name: String
    /// Whether it was written as `${NAME:?message}`.
    package var isRequired: Bool
}

/// One use of a variable in an interpolated scalar.
package struct VariableUse: Hashable, Sendable {
    /// What the use came to.
    package enum Outcome: Hashable, Sendable {
        /// The variable's value flowed in.
        case value(Variable)
        /// The default of `${NAME:-default}` or `${NAME-default}` flowed in; the variable is present when it was empty.
        case defaultText(TemplateText, Variable?)
        /// The replacement of `${NAME:+text}` or `${NAME+text}` flowed in; the variable only decided that.
        case replacement(TemplateText, Variable)
        /// Nothing flowed in: the variable is unset, or a replacement did not apply.
        case nothing
    }

    package var name: String
    package var outcome: Outcome
    /// The default that was written and that the variable's value made needless.
    package var unusedDefault: TemplateText?

    package init(name: String, outcome: Outcome, unusedDefault: TemplateText? = nil) {
        self.name = name
        self.outcome = outcome
        self.unusedDefault = unusedDefault
    }

    /// The variable that was found, whether or not its value flowed in.
    package var variable: Variable? {
        switch outcome {
        case .value(let variable), .replacement(_, let variable): variable
        case .defaultText(_, let variable): variable
        case .nothing: nil
        }
    }

    /// The default that flowed in, if one did.
    package var usedDefault: TemplateText? {
        if case .defaultText(let text, _) = outcome { text } else { nil }
    }
}
