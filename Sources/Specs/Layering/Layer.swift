package import Compose
package import OrderedCollections
package import YAML

/// What layering is given besides the stack and the spec.
package struct LayerOptions: Sendable {
    /// The operator's environment; only the names in `env-from-host` are read from it.
    package var hostEnvironment: [String: String]
    /// Lines of the deployment's config.env that were changed by hand: they count over the spec's `config`.
    package var configEdits: OrderedDictionary<String, Located<String>> = [:]
    /// Secret values that whoever deploys hands over, by name: as those of credentials-files, over them.
    package var givenSecrets: [String: String] = [:]
    /// The active profiles.
    package var profiles: [String] = []
    /// What `~` stands for; nil: such a path is an error.
    package var homeDirectory: String?
    /// The name of the compose project; nil: the stack's name or what compose would take.
    package var projectName: String?
    /// Whether `${NAME:?message}` without a value and an env_file that is not there are errors: `deploy init` comes before the
    /// operator gives values.
    package var requiresInputs = true
    /// Whether a variable that nothing sets is a warning.
    package var warnsOfUnsetVariables = true
    /// Whether a project with errors is returned beside them: good for finding more of them, and for nothing else.
    package var keepsFaulty = false

    package init(hostEnvironment: [String: String] = [:]) {
        self.hostEnvironment = hostEnvironment
    }
}

/// Layers a spec over a stack: loads the compose files of every pod and job with the operator's variables, merges the pods, and applies
/// `overrides`, `network.ports`, `image-overrides` and the variables that environments declare.
///
/// - Parameter diagnostics: receives the stack's problems, those of the compose files, and settings of the spec that reach nothing.
/// - Returns: the project, or nil if the diagnostics received an error.
package func layer(
    _ stack: ResolvedStack, spec: Spec, options: LayerOptions = LayerOptions(), tree: FileTree,
    diagnostics: inout Diagnostics
) -> LayeredProject? {
    var found = Diagnostics()
    found.append(contentsOf: stack.problems)
    let tree = stack.overlay(tree)
    var layering = Layering(spec: spec, options: options, tree: tree, diagnostics: found)
    layering.readVariables()
    let project = layering.load(stack)
    let result = project.map { layering.finish($0, stackName: stack.name) }
    diagnostics.append(contentsOf: layering.diagnostics.list)
    return layering.diagnostics.hasErrors && !options.keepsFaulty ? nil : result
}

/// Layers a spec over plain compose files, which are merged by compose's rules; there is no stack, and one component of the project's name.
///
/// - Parameter composeFiles: absolute paths.
/// - Returns: the project, or nil if the diagnostics received an error.
package func layer(
    composeFiles: [String], spec: Spec = Spec(), options: LayerOptions = LayerOptions(), tree: FileTree,
    diagnostics: inout Diagnostics
) -> LayeredProject? {
    var layering = Layering(spec: spec, options: options, tree: tree, diagnostics: Diagnostics())
    layering.readVariables()
    var load = layering.loadOptions(name: options.projectName)
    load.overrides = spec.overrides.map { [$0] } ?? []
    return layering.layered(composeFiles, load, &diagnostics)
}

/// Loads a compose project of the user's own: over its files lies nothing but their environment.
///
/// - Parameter spec: says where and under which name it runs.
/// - Returns: the project, or nil if the diagnostics received an error.
package func layer(
    _ found: FoundProject, spec: Spec, options: LayerOptions = LayerOptions(), tree: FileTree,
    diagnostics: inout Diagnostics
) -> LayeredProject? {
    var layering = Layering(spec: spec, options: options, tree: tree, diagnostics: Diagnostics())
    var load = found.options
    load.homeDirectory = options.homeDirectory
    load.requiresInputs = options.requiresInputs
    load.warnsOfUnsetVariables = options.warnsOfUnsetVariables
    return layering.layered(found.files, load, &diagnostics)
}

/// The work of one layering.
struct Layering {
    let spec: Spec
    let options: LayerOptions
    let tree: FileTree
    var diagnostics: Diagnostics
    var chain: VariableChain
    var components: [Component] = []
    var jobs: OrderedDictionary<String, Project> = [:]

    init(spec: Spec, options: LayerOptions, tree: FileTree, diagnostics: Diagnostics) {
        self.spec = spec
        self.options = options
        self.tree = tree
        self.diagnostics = diagnostics
        chain = VariableChain(spec: spec)
    }

    mutating func readVariables() {
        chain.build(options, tree, &diagnostics)
    }

    /// The variables without what was edited in config.env.
    private var specVariables: OrderedDictionary<String, Variable> {
        guard !options.configEdits.isEmpty else { return chain.variables }
        var plain = options
        plain.configEdits = [:]
        var chain = VariableChain(spec: spec)
        var told = Diagnostics()
        chain.build(plain, tree, &told)
        return chain.variables
    }

    func loadOptions(name: String?) -> LoadOptions {
        var load = LoadOptions()
        load.projectName = name
        load.profiles = options.profiles
        load.scope = chain.scope
        load.homeDirectory = options.homeDirectory
        load.requiresInputs = options.requiresInputs
        load.warnsOfUnsetVariables = options.warnsOfUnsetVariables
        return load
    }

    /// Plain compose files as one component of their project's name.
    fileprivate mutating func layered(
        _ files: [String], _ load: LoadOptions, _ reported: inout Diagnostics
    ) -> LayeredProject? {
        let project = loadProject(files: files, options: load, tree: tree, diagnostics: &diagnostics)
        let result = project.map { project in
            components = [Component(name: project.name, serviceNames: Array(project.services.keys))]
            return finish(project, stackName: project.name)
        }
        reported.append(contentsOf: diagnostics.list)
        return diagnostics.hasErrors && !options.keepsFaulty ? nil : result
    }

    /// What is done once the compose files are loaded.
    mutating func finish(_ loaded: Project, stackName: String) -> LayeredProject {
        var project = loaded
        applyPorts(&project)
        applyImages(&project)
        var environments = EnvironmentLayering(chain: chain, scope: spec.configScope)
        environments.apply(to: &project)
        for name in jobs.keys { jobs[name].map { environments.apply(to: &jobs[name, default: $0]) } }
        var result = LayeredProject(stackName: stackName, spec: spec, project: project)
        result.jobs = jobs
        result.components = components
        result.generators = chain.generators
        result.credentials = chain.credentials
        result.variables = chain.variables
        result.specVariables = specVariables
        reportVariables(result, environments)
        reportUnknownNames(result)
        return result
    }
}
