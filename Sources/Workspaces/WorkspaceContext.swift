import Compose
package import Deployments
import Runtimes
import YAML

/// What a user's machine brings into every call: environment, data, settings, templates.
package struct WorkspaceContext: Sendable {
    package var environment: [String: String]
    /// What runs the egress of a build.
    package var deployments: DeploymentService
    /// The data that `so` comes with: the directory that holds `config/`.
    package var dataDirectory: String?
    /// The absolute path of `so`, beside which `so-egress` is; nil: no workspace has a way out.
    package var executable: String?
    /// Credentials that are found before those of ``environment``, and that no definition can name.
    package var secrets: [String: String] = [:]
    /// What the user's Vault had, where somebody has asked it.
    package var vault: VaultValues?

    /// - Parameter deployments: nil: one of its own, in the environment.
    package init(
        environment: [String: String], dataDirectory: String?, executable: String? = nil,
        deployments: DeploymentService? = nil
    ) {
        self.environment = environment
        self.deployments = deployments ?? DeploymentService(DeploymentHost(environment: environment))
        self.dataDirectory = dataDirectory
        self.executable = executable
    }

    /// The same, building where `deployments` run.
    package func on(_ deployments: DeploymentService) -> WorkspaceContext {
        var context = self
        context.deployments = deployments
        return context
    }

    /// `$XDG_CONFIG_HOME/so`, else `~/.config/so`: https://specifications.freedesktop.org/basedir-spec/latest/
    private var configurationDirectory: String {
        let base = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (base ?? (environment["HOME"] ?? "/root") + "/.config") + "/so"
    }

    package var settingsStore: SettingsStore { SettingsStore(file: configurationDirectory + "/settings.yml") }

    /// What pays the agents' providers: the environment, then what `so auth login` has stored, then a Vault that was asked.
    package var credentials: CredentialLookup {
        var lookup = CredentialLookup(
            environment: environment.merging(secrets) { $1 },
            store: CredentialStore(directory: configurationDirectory + "/credentials"))
        lookup.vault = vault
        return lookup
    }

    /// Where agents are declared: by the user, then by `so` itself.
    var agentDirectories: [String] {
        [configurationDirectory + "/agents"] + (dataDirectory.map { ["\($0)/config/agents"] } ?? [])
    }

    /// Every agent that is declared.
    package func agents() throws -> [AgentDeclaration] {
        try AgentDeclaration.names(in: agentDirectories).map { try AgentDeclaration.load($0, from: agentDirectories) }
    }

    /// The user's time zone, as the variable TZ has it; nil: nothing says.
    var timeZone: String? {
        if let zone = environment["TZ"] { return zone }
        // localtime(5): a link into the database of time zones.
        let link = Files.canonical("/etc/localtime")
        guard let place = link.firstRange(of: "/zoneinfo/") else { return nil }
        return String(link[place.upperBound...])
    }

    /// What is kept of workspaces and sessions; mode 0700.
    package var stateDirectory: String { hostStateDirectory(environment) + "/workspaces" }

    /// The directory for what is thrown away.
    package var scratch: String { environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp" }

    package func templates(of project: Project?) -> TemplateStore {
        TemplateStore(project: project, environment: environment, dataDirectory: dataDirectory)
    }

    /// Reads a project's definition with all its layers.
    package func load(_ project: Project, flags: DefinitionFlags = DefinitionFlags()) throws -> LoadedDefinition {
        let own = DefinitionFile(project)
        if own.exists, let node = try? own.node() {
            let faults = faults(of: node, in: project)
            guard faults.isEmpty else { throw InvalidInput(faults) }
        }
        return try LoadedDefinition(
            project, settings: try settingsStore.load(), templates: templates(of: project), flags: flags,
            environment: environment)
    }

    /// The images of workspaces in the store of an engine.
    package func images(_ engine: ImageEngine) -> WorkspaceImages {
        WorkspaceImages(engine: engine, stateDirectory: stateDirectory, scratch: scratch)
    }

    /// A template with the values of its variables.
    package func template(
        _ name: String, project: Project, flags: DefinitionFlags
    ) throws -> (Template, TemplateVariables) {
        let template = try templates(of: project).template(name, workingDirectory: project.path)
        var diagnostics = Diagnostics()
        let variables = try LoadedDefinition.variables(
            of: template, settings: try settingsStore.load(), flags: flags, environment: environment, tree: .disk,
            &diagnostics)
        try diagnostics.throwIfErrors()
        return (template, variables)
    }

    /// The agents that are declared: those that `so` comes with, and the user's own.
    package func agentNames() -> [String] {
        let names = AgentDeclaration.names(in: agentDirectories)
        return names.isEmpty ? ["claude-code"] : names
    }

    /// The recipe of a project's image.
    package func recipe(
        _ project: Project, flags: DefinitionFlags = DefinitionFlags(), isLasting: Bool = false
    ) throws -> ImageRecipe {
        let loaded = try load(project, flags: flags)
        return try loaded.recipe(agent: try agentLayer(loaded.definition.agent), isLasting: isLasting)
    }

    /// What an agent's declaration adds to an image.
    package func agentLayer(_ name: String) throws -> AgentLayer {
        try AgentDeclaration.load(name, from: agentDirectories).imageLayer
    }
}
