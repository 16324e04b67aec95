import Compose
import Specs

/// A project that was brought up, as a later command asks for it: with the files that the command names, further profiles, and those of the
/// services that it names. What the last `so up` found counts for all else.
struct AskedProject {
    private(set) var found: FoundProject

    /// - Returns: nil where nothing else is asked for than what was brought up.
    /// - Throws: `InvalidInput` where what was written down cannot be read.
    init?(
        _ request: PlaceRequest, _ services: [String], in directory: DeploymentDirectory, options: LayerOptions
    ) throws {
        guard let recorded = try directory.project() else { return nil }
        found = recorded
        let now = findProject(request.project, tree: request.tree)
        if !request.project.files.isEmpty, let now { found.files = now.files }
        let variable = request.project.environment["COMPOSE_PROFILES"] ?? ""
        let named = request.project.profiles
        let asked = named.isEmpty ? variable.split(separator: ",").map { String($0.filter { $0 != " " }) } : named
        found.profiles += asked.filter { !recorded.profiles.contains($0) }
        if !services.isEmpty,
            let project = try? OwnProject(found, services: services, options: options, tree: request.tree),
            !Set(project.found.profiles).isSubset(of: found.profiles)
        {
            found.profiles = project.found.profiles
        }
        guard found != recorded else { return nil }
        fillVariables(from: now?.scope, besides: recorded, options, request.tree)
    }

    /// What is new may read variables that nobody has written down; all else keeps those of `so up`.
    private mutating func fillVariables(
        from scope: VariableScope?, besides recorded: FoundProject, _ options: LayerOptions, _ tree: FileTree
    ) {
        let project = try? OwnProject(recorded, options: options, tree: tree)
        let known = project?.layered.project.variablesInUse ?? []
        for (name, variable) in scope?.variables ?? [:] where found.scope[name] == nil && !known.contains(name) {
            found.scope[name] = variable
        }
    }
}
