package import YAML

/// One variable of a container.
package struct EnvironmentValue: Hashable, Sendable {
    /// The value.
    package var text: TemplateText
    /// The place of the value: in a compose file, an override or an env_file.
    package var mark: Mark
    /// `composeFile`, `override` or `envFile` by where the key is written; `composeDefault` if a `${NAME:-default}` flowed in;
    /// for a bare key the layer of the variable that it was resolved from.
    package var layer: Layer
    /// The variables that flowed in, in order.
    package var uses: [VariableUse]
    /// The value of an env_file that `environment` set aside, if one was.
    package var shadowed: [ShadowedValue]

    package init(
        text: TemplateText, mark: Mark = .generated, layer: Layer = .composeFile, uses: [VariableUse] = [],
        shadowed: [ShadowedValue] = []
    ) {
        self.text = text
        self.mark = mark
        self.layer = layer
        self.uses = uses
        self.shadowed = shadowed
    }
}

/// A value that a stronger one set aside.
package struct ShadowedValue: Hashable, Sendable {
    package var text: TemplateText
    package var mark: Mark
    package var layer: Layer

    package init(text: TemplateText, mark: Mark, layer: Layer) {
        self.text = text
        self.mark = mark
        self.layer = layer
    }
}

/// An entry of `env_file`.
package struct EnvFile: Hashable, Sendable {
    /// Absolute.
    package var path: String
    /// False: a missing file is not an error.
    package var isRequired: Bool
    /// `raw`: values are taken as they stand; nil: the usual format.
    package var format: String?
    package var mark: Mark

    package init(path: String, isRequired: Bool = true, format: String? = nil, mark: Mark = .generated) {
        self.path = path
        self.isRequired = isRequired
        self.format = format
        self.mark = mark
    }
}
