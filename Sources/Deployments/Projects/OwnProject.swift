package import Compose
import OrderedCollections
import Rendering
import Runtimes
package import Specs
package import YAML

/// A compose project of the user's own, read and checked, before anything of it is made.
package struct OwnProject: Sendable {
    /// How it was found: with its name, the profiles of the services that were asked for, and only the variables that it reads.
    package var found: FoundProject
    package var layered: LayeredProject
    package var warnings: [Diagnostic]

    /// Reads a project.
    ///
    /// - Parameter services: whose profiles become active, as docker compose has it for services that are named.
    /// - Throws: `InvalidInput` with every problem at once.
    package init(_ found: FoundProject, services: [String] = [], options: LayerOptions, tree: FileTree) throws {
        var diagnostics = Diagnostics()
        var found = found
        var project = layer(found, spec: .ownProject(), options: options, tree: tree, diagnostics: &diagnostics)
        let profiles = services.flatMap { project?.project.disabledServices[$0]?.profiles ?? [] }
        if let known = project?.project.profiles, !profiles.isEmpty {
            found.profiles = known + profiles
            diagnostics = Diagnostics()
            project = layer(found, spec: .ownProject(), options: options, tree: tree, diagnostics: &diagnostics)
        }
        guard var project else { throw InvalidInput(diagnostics.list) }
        try project.scale(found.scale)
        found.scope = found.scope.only(project.project.variablesInUse)
        found.profiles = project.project.profiles
        layered = project
        self.found = found
        warnings = diagnostics.list
    }

    /// How the images of these services and of what they depend on are built; none named: all.
    ///
    /// - Throws: `InvalidInput` with every build that cannot be.
    package func builds(of services: [String], engine: ImageEngine) throws -> [ImageBuild] {
        var diagnostics = Diagnostics()
        var chosen = layered
        if !services.isEmpty {
            let needed = layered.project.closure(of: services)
            chosen.project.services = chosen.project.services.filter { needed.contains($0.key) }
        }
        let options = ImageBuild.Options(
            repositoryBase: found.directory, engine: engine, workspace: BuildWorkspace(unmade: found.directory))
        let builds = ImageBuild.ofServices(chosen, options: options, readsEnvironment: true, diagnostics: &diagnostics)
        try diagnostics.throwIfErrors()
        return builds
    }
}

extension LayeredProject {
    /// Takes other numbers of replicas than the files ask for.
    ///
    /// - Throws: ``DeploymentError`` (`missing`) for what is not a service.
    fileprivate mutating func scale(_ counts: [String: Int]) throws(DeploymentError) {
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
            guard project.services[name] != nil else {
                throw DeploymentError(
                    .missing, "no service named \(name) to scale",
                    hint: "there are: \(project.services.keys.sorted().joined(separator: ", "))")
            }
            project.services[name]?.scale = count
            project.services[name]?.deploy?.replicas = count
        }
    }
}

extension Spec {
    /// What `so up` decides for a compose project: podman, and nothing else.
    static func ownProject() -> Spec {
        var spec = Spec()
        spec.deployTo = .podman
        return spec
    }
}

extension LoadedDeployment {
    /// Reads and renders the compose project that a deployment runs. Replicas that were asked for and that the files allow no more are left
    /// out, so that an edit of a file keeps nobody from what runs.
    static func load(
        _ found: FoundProject, in directory: DeploymentDirectory, options: LayerOptions, allocatesPorts: Bool,
        adjust: (inout RenderOptions) -> Void
    ) throws -> LoadedDeployment {
        do {
            return try loadStrictly(
                found, in: directory, options: options, allocatesPorts: allocatesPorts, adjust: adjust)
        } catch let error as InvalidInput {
            guard !found.scale.isEmpty else { throw error }
            var unscaled = found
            unscaled.scale = [:]
            let loaded = try? loadStrictly(
                unscaled, in: directory, options: options, allocatesPorts: allocatesPorts, adjust: adjust)
            guard var loaded else { throw error }
            let counts = found.scale.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            loaded.warnings.append(
                Diagnostic(
                    .warning, at: nil,
                    "the compose files allow `--scale \(counts)` of the last `so up` no more: left out",
                    hint: "so up -d"))
            return loaded
        }
    }

    /// The same, with as many replicas as were asked for.
    ///
    /// - Throws: `InvalidInput` with every problem at once.
    static func loadStrictly(
        _ found: FoundProject, in directory: DeploymentDirectory, options: LayerOptions, allocatesPorts: Bool,
        adjust: (inout RenderOptions) -> Void
    ) throws -> LoadedDeployment {
        var diagnostics = Diagnostics()
        let (spec, tree) = (Spec.ownProject(), FileTree.disk)
        guard var project = layer(found, spec: spec, options: options, tree: tree, diagnostics: &diagnostics) else {
            throw InvalidInput(diagnostics.list)
        }
        // A service that the files have lost meanwhile is none to be scaled.
        try project.scale(found.scale.filter { project.project.services[$0.key] != nil })
        let name = directory.identity.stackName
        var render = RenderOptions(spec: spec, stackName: name, deploymentID: directory.identity.deploymentID)
        render.deploymentDirectory = directory.root
        render.homeDirectory = options.homeDirectory
        render.mountsInPlace = true
        render.allocatedPorts =
            allocatesPorts ? try directory.allocatePorts(for: project) : try directory.allocatedPorts()
        adjust(&render)
        let rendered = Rendering.render(project, options: render, tree: tree, diagnostics: &diagnostics)
        try diagnostics.throwIfErrors()
        let stack = ResolvedStack(
            name: name, directory: found.directory, root: found.directory, source: .deployment,
            file: StackFile(file: found.files.first ?? found.directory))
        return LoadedDeployment(
            directory: directory, spec: spec, stack: stack, project: project, rendered: rendered,
            namespace: render.namespace, homeDirectory: options.homeDirectory,
            environment: options.hostEnvironment, warnings: diagnostics.list)
    }
}
