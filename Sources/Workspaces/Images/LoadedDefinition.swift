package import Compose
import Specs
package import YAML

/// A project's definition with all its layers, and what its image is made of.
package struct LoadedDefinition: Sendable {
    package var project: Project
    package var definition: WorkspaceDefinition
    package var settings: UserSettings
    /// The template and its variables; nil where there is an image or a build instead.
    package var template: (Template, TemplateVariables)?
    package var warnings: [Diagnostic]
    /// Whether the project has a definition of its own: workspace.yml, or a devcontainer.json that was read instead.
    package var isDefined: Bool
    private let tree: FileTree

    /// Reads template, workspace.yml, settings and flags, the weakest first.
    ///
    /// - Throws: `InvalidInput` with every fault of every layer, ``WorkspaceError`` for a template that is not there.
    package init(
        _ project: Project, settings: UserSettings, templates: TemplateStore,
        flags: DefinitionFlags = DefinitionFlags(),
        environment: [String: String], tree: FileTree = .disk
    ) throws {
        var diagnostics = Diagnostics()
        var layers = try Self.ownLayers(project, tree, &diagnostics)
        isDefined = !layers.isEmpty
        if let own = settings.definition { layers.append(own) }
        layers.append(DefinitionDocument(flags.node, layer: .flag, diagnostics: &diagnostics))
        try diagnostics.throwIfErrors()
        let chosen = WorkspaceDefinition(layers: layers)
        if case .template(let name) = chosen.source {
            let template = try templates.template(name, workingDirectory: project.path)
            let variables = try Self.variables(
                of: template, settings: settings, flags: flags, environment: environment, tree: tree, &diagnostics)
            if let layer = variables.definition(diagnostics: &diagnostics) { layers.insert(layer, at: 0) }
            self.template = (template, variables)
        }
        try diagnostics.throwIfErrors()
        self.project = project
        self.settings = settings
        self.tree = tree
        definition = WorkspaceDefinition(layers: layers)
        warnings = diagnostics.list
    }

    private static func ownLayers(
        _ project: Project, _ tree: FileTree, _ diagnostics: inout Diagnostics
    ) throws -> [DefinitionDocument] {
        guard tree.kind(project.definitionFile) == .file else {
            return try devcontainer(at: nil, of: project, tree, &diagnostics).map { [$0] } ?? []
        }
        let own = DefinitionDocument(
            try tree.read(project.definitionFile), file: project.definitionFile, layer: .workspace,
            diagnostics: &diagnostics)
        guard let path = own.node.text("devcontainer") else { return [own] }
        return try [devcontainer(at: path, of: project, tree, &diagnostics), own].compactMap { $0 }
    }

    private static func devcontainer(
        at path: String?, of project: Project, _ tree: FileTree, _ diagnostics: inout Diagnostics
    ) throws -> DefinitionDocument? {
        guard let file = Devcontainer.find(path, in: project, tree: tree) else {
            guard let path else { return nil }
            throw WorkspaceError(
                .missing, "no \(path) in \(project.path)",
                hint: "correct `devcontainer:` in \(project.definitionFile)")
        }
        return Devcontainer(try tree.read(file), file: file, project: project, tree: tree, diagnostics: &diagnostics)?
            .document
    }

    static func variables(
        of template: Template, settings: UserSettings, flags: DefinitionFlags, environment: [String: String],
        tree: FileTree,
        _ diagnostics: inout Diagnostics
    ) throws -> TemplateVariables {
        TemplateVariables(
            of: template, settings: settings, environment: environment, file: try variableFile(flags, tree),
            flags: flags.variables,
            fixed: ["BASE_IMAGE": settings.baseImage ?? settings.official("debian:bookworm-slim")],
            diagnostics: &diagnostics)
    }

    private static func variableFile(
        _ flags: DefinitionFlags, _ tree: FileTree
    ) throws -> (bytes: [UInt8], name: String)? {
        guard let path = flags.variableFile else { return nil }
        do {
            return (try tree.read(path), path)
        } catch {
            throw WorkspaceError(.missing, "the env file cannot be read", cause: error.description)
        }
    }

    /// The recipe of the image for this agent.
    package func recipe(agent: AgentLayer, isLasting: Bool) throws -> ImageRecipe {
        try WorkspaceImage.resolve(
            definition, project: project, agent: agent,
            owner: try definition.podUser(of: project, isLasting: isLasting),
            settings: settings, template: template, tree: tree)
    }
}
