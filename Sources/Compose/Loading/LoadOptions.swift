package import YAML

/// What a project is loaded with, besides its files.
package struct LoadOptions: Sendable {
    /// The project's name; nil: COMPOSE_PROJECT_NAME, then the files' `name`, then the directory's.
    package var projectName: String?
    /// An absolute directory; nil: the first file's.
    package var projectDirectory: String?
    /// The active profiles; empty: those of COMPOSE_PROFILES. `*` is all of them.
    package var profiles: [String] = []
    /// Services to keep, with what they depend on; naming one activates its profiles. Empty: all.
    package var services: [String] = []
    /// What interpolation sees, over `.env`.
    package var scope = VariableScope()
    /// Services of other projects of the same deployment, which `depends_on` may name.
    package var externalServices: Set<String> = []
    /// Already parsed fragments, merged last by the compose merge rules.
    package var overrides: [Node] = []
    /// Absolute paths to read instead of the project directory's `.env`; nil: that one, if it is there.
    package var envFiles: [String]?
    /// What `~` in a path stands for; nil: the file tree's home directory, and without one such a path is an error.
    package var homeDirectory: String?
    /// Whether a variable that nothing sets is a warning, as docker compose has it.
    package var warnsOfUnsetVariables = true
    /// Whether `${NAME:?message}` without a value and an env_file that is not there are errors; else the one counts as unset and
    /// the other is a warning.
    package var requiresInputs = true

    /// Whether ``scope`` holds the user's environment, which hints then may name.
    package var readsEnvironment = false
    /// Whether variables are replaced. Else the files are only merged: the project has no services, and
    /// ``loadCanonicalProject(files:options:tree:diagnostics:)`` prints it.
    package var interpolates = true
    /// Whether names that refer to nothing, cycles and the like are errors.
    package var checksConsistency = true

    package init() {}
}
