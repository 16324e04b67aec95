import OrderedCollections
package import YAML

/// Loads compose files into one project.
///
/// - Parameters:
///   - files: absolute paths; a later file is merged over the earlier ones.
///   - diagnostics: receives every problem found, errors and warnings.
/// - Returns: the project, or nil if no file could be read; a project beside errors is good for nothing but more diagnostics.
package func loadProject(
    files: [String], options: LoadOptions = LoadOptions(), tree: FileTree, diagnostics: inout Diagnostics
) -> Project? {
    loadCanonicalProject(files: files, options: options, tree: tree, diagnostics: &diagnostics)?.project
}

/// The stages of loading a project, in order.
struct ProjectLoader {
    let state: LoadState
    let files: [String]

    private var directory: String {
        normalizedPath(state.options.projectDirectory ?? files.first.map(parentDirectory) ?? "/")
    }

    func load() -> CanonicalProject? {
        guard !files.isEmpty || !state.options.overrides.isEmpty else {
            state.error("no compose file was named", at: nil, hint: "name one with -f")
            return nil
        }
        let dotEnv = loadDotEnv()
        var scope = state.options.scope.filling(from: dotEnv)
        let profiles = self.profiles(scope)
        let namer = DocumentLoader(state: state, scopes: Scopes(root: scope))
        let readable = files.count { namer.documents($0, at: nil) != nil }
        guard files.isEmpty || readable > 0 else { return nil }
        let (name, nameMark) = ProjectName(state: state, loader: namer, files: files, directory: directory).find(scope)
        scope["COMPOSE_PROJECT_NAME"] = Variable(
            value: TemplateText(name), layer: .composeDefault, mark: nameMark ?? .generated)
        if scope["PWD"] == nil {
            scope["PWD"] = Variable(value: TemplateText(directory), layer: .composeDefault, mark: .generated)
        }
        let scopes = Scopes(root: scope)
        let written = loadModel(DocumentLoader(state: state, scopes: scopes, documentsOf: namer), scope: scope)
        let model = state.resolvePaths(in: written, directory: directory)
        if model.mapping?.entries.isEmpty ?? true, !state.diagnostics.hasErrors {
            state.error("the compose file is empty", at: files.first.map { Mark(file: $0) }, hint: "write `services:`")
        }
        func canonical(_ project: Project) -> CanonicalProject {
            CanonicalProject(
                project: project, scope: scope, model: model, writtenModel: written,
                isInterpolated: state.options.interpolates)
        }
        guard state.options.interpolates else { return canonical(Project(name: name, directory: directory)) }
        let decoder = ProjectDecoder(state: state, scopes: scopes, directory: directory)
        var project = decoder.decode(model, name: name, nameMark: nameMark)
        finish(&project, scopes: scopes, profiles: profiles)
        project.dotEnv = dotEnv
        return canonical(project)
    }

    private func loadDotEnv() -> VariableScope {
        let standard = absolutePath(".env", in: directory)
        let files = state.options.envFiles ?? (state.tree.hasFile(standard) ? [standard] : [])
        if files.isEmpty, state.options.envFiles == nil { state.dotEnvSample = state.tree.sample(of: standard) }
        return state.variables(
            ofFiles: files.map(normalizedPath), written: state.options.envFiles == nil ? [standard: ".env"] : [:],
            under: state.options.scope)
    }

    private func profiles(_ scope: VariableScope) -> [String] {
        if !state.options.profiles.isEmpty { return state.options.profiles }
        let text = scope["COMPOSE_PROFILES"]?.value.literal ?? ""
        return text.split(separator: ",").map { String($0.filter { !$0.isWhitespace }) }.filter { !$0.isEmpty }
    }

    private func loadModel(_ loader: DocumentLoader, scope: VariableScope) -> Node {
        let context = FileContext(directory: directory, scope: scope, scopeName: "")
        var model = loader.load(files: files, at: nil, context: context)
        for fragment in state.options.overrides {
            model = loader.add(fragment, to: model, context: context.entering(fragment.mark.file))
        }
        return model
    }

    private func finish(_ project: inout Project, scopes: Scopes, profiles: [String]) {
        Normalizer(state: state).normalize(&project)
        let services = state.options.services
        ProfileSelection(state: state, profiles: profiles, services: services).apply(to: &project)
        if state.options.checksConsistency { ConsistencyCheck(state: state, project: project).run() }
        let files = ServiceFiles(state: state, scopes: scopes)
        for index in project.services.values.indices { files.resolve(&project.services.values[index]) }
        project.files = Array(state.files)
        project.interpolations = state.interpolations
        project.unsetVariables = state.unsetVariables
        project.referencedVariables = state.referencedVariables
        project.referencedPaths = Array(state.referencedPaths)
    }
}
