package import Compose
package import YAML

/// What layering is given besides the stack and the spec.
package struct LayerOptions: Sendable {
    /// The operator's environment; only the names in `env-from-host` are read from it.
    package var hostEnvironment: [String: String]
    /// The active profiles.
    package var profiles: [String] = []
    /// What `~` stands for; nil: such a path is an error.
    package var homeDirectory: String?
    /// The name of the compose project; nil: the stack's name or what compose would take.
    package var projectName: String?

    package init(hostEnvironment: [String: String] = [:]) {
        self.hostEnvironment = hostEnvironment
    }
}

/// Layers a spec over a stack.
///
/// - Returns: the project, or nil if the diagnostics hold errors that leave none.
package func layer(
    _ stack: ResolvedStack, spec: Spec, options: LayerOptions = LayerOptions(), tree: FileTree,
    diagnostics: inout Diagnostics
) -> LayeredProject? {
    nil
}

/// Layers a spec over plain compose files, merged by compose's rules; there is no stack, and one component.
package func layer(
    composeFiles: [String], spec: Spec = Spec(), options: LayerOptions = LayerOptions(), tree: FileTree,
    diagnostics: inout Diagnostics
) -> LayeredProject? {
    nil
}
