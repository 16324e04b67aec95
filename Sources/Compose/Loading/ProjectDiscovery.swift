import YAML

/// What a user says of the compose project that a command is about, before it is looked for.
package struct ProjectRequest: Hashable, Sendable {
    /// Compose files as they were named; empty: COMPOSE_FILE, else those of the nearest directory upward that has any.
    package var files: [String] = []
    /// `--project-directory`; nil: the first file's.
    package var directory: String?
    /// `--project-name`.
    package var name: String?
    /// `--profile`; empty: COMPOSE_PROFILES.
    package var profiles: [String] = []
    /// `--env-file`; empty: COMPOSE_ENV_FILES, else `.env`.
    package var envFiles: [String] = []
    /// The environment of the user, who is the author of these files: interpolation sees all of it.
    package var environment: [String: String]
    /// Absolute.
    package var workingDirectory: String

    package init(environment: [String: String], workingDirectory: String) {
        self.environment = environment
        self.workingDirectory = workingDirectory
    }
}

/// A compose project that was found, ready for ``loadProject(files:options:tree:diagnostics:)``.
package struct FoundProject: Hashable, Sendable {
    /// Absolute, in the order in which they are merged.
    package var files: [String]
    /// Where relative paths start; absolute.
    package var directory: String
    package var name: String?
    package var profiles: [String]
    /// Absolute; nil: the directory's `.env`.
    package var envFiles: [String]?
    /// The environment, and over it nothing: `.env` only fills what it lacks.
    package var scope: VariableScope
    /// How many replicas `--scale` asks for, by service, over the files.
    package var scale: [String: Int] = [:]

    package init(
        files: [String], directory: String, name: String? = nil, profiles: [String] = [], envFiles: [String]? = nil,
        scope: VariableScope = VariableScope()
    ) {
        self.files = files
        self.directory = directory
        self.name = name
        self.profiles = profiles
        self.envFiles = envFiles
        self.scope = scope
    }

    /// What the project is loaded with.
    package var options: LoadOptions {
        var options = LoadOptions()
        options.projectName = name
        options.projectDirectory = directory
        options.profiles = profiles
        options.envFiles = envFiles
        options.scope = scope
        options.readsEnvironment = true
        return options
    }
}

/// Finds a compose project as docker compose does: the options, then the COMPOSE_… variables of the environment or of `.env`, then the
/// default file names here and upward.
///
/// - Returns: nil where no compose file is named or found. A named file may yet be absent.
/// Rule: https://docs.docker.com/compose/how-tos/environment-variables/envvars/
package func findProject(_ request: ProjectRequest, tree: FileTree) -> FoundProject? {
    ProjectDiscovery(request: request, tree: tree).find()
}

private struct ProjectDiscovery {
    let request: ProjectRequest
    let tree: FileTree

    func find() -> FoundProject? {
        var scope = VariableScope(request.environment.compactMapValues(variable))
        let envFiles = envFiles(scope)
        let here = directoryOption ?? request.workingDirectory
        let dotEnv = variables(of: envFiles ?? [absolutePath(".env", in: here)], under: scope)
        let files = named(scope.filling(from: dotEnv)) ?? nearest(here)
        guard let first = files.first else { return nil }
        let directory = directoryOption ?? parentDirectory(first)
        // The directory's own `.env` is read with the project; one of here counts too, and before it.
        if envFiles == nil, directory != here { scope = scope.filling(from: dotEnv) }
        return FoundProject(
            files: files, directory: directory, name: request.name, profiles: request.profiles, envFiles: envFiles,
            scope: scope)
    }

    private var directoryOption: String? {
        request.directory.map { absolutePath($0, in: request.workingDirectory) }
    }

    private func variable(_ value: String) -> Variable? {
        let text = TemplateText(value)
        return text.isSecret ? nil : Variable(value: text, layer: .hostEnvironment, mark: Mark(file: "environment"))
    }

    private func envFiles(_ scope: VariableScope) -> [String]? {
        let named = request.envFiles.isEmpty ? split(scope["COMPOSE_ENV_FILES"], at: ",") : request.envFiles
        return named.isEmpty ? nil : named.map { absolutePath($0, in: request.workingDirectory) }
    }

    /// The variables of env files; their faults are told when the project is loaded.
    private func variables(of files: [String], under scope: VariableScope) -> VariableScope {
        let state = LoadState(tree: tree, options: LoadOptions())
        return state.variables(ofFiles: files.filter { tree.kind($0) == .file }, written: [:], under: scope)
    }

    private func named(_ scope: VariableScope) -> [String]? {
        let separator = scope["COMPOSE_PATH_SEPARATOR"]?.value.literal ?? ":"
        let files = request.files.isEmpty ? split(scope["COMPOSE_FILE"], at: separator) : request.files
        return files.isEmpty ? nil : files.map { absolutePath($0, in: request.workingDirectory) }
    }

    private func nearest(_ directory: String) -> [String] {
        var place = directory
        while true {
            let files = discoverComposeFiles(place, tree: tree)
            guard files.isEmpty, place != "/" else { return files }
            place = parentDirectory(place)
        }
    }

    private func split(_ variable: Variable?, at separator: String) -> [String] {
        guard let text = variable?.value.literal, !separator.isEmpty else { return [] }
        return text.split(separator: separator).map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
    }
}
