package import Compose
package import ExternalTools
import OrderedCollections
package import Runtimes
import Specs
import Stacks
import YAML

/// How a compose project, stack or deployment is made ready for a start.
package struct ProjectUp: Sendable {
    /// Which images are built before.
    package enum Builds: Sendable {
        case always, missing, never
    }

    /// Whose profiles become active, and whose images are built; empty: all.
    package var services: [String]
    package var builds: Builds
    /// How many replicas are asked for by service, over the files.
    package var scale: [String: Int] = [:]
    /// Whether what runs already is taken as the files and the environment are now.
    package var refreshes = true

    package init(services: [String], builds: Builds = .missing) {
        self.services = services
        self.builds = builds
    }
}

/// What a start of what nobody has started yet would do.
package enum ProjectPreview: Sendable {
    case plan(Plan)
    /// The deployment of a stack would be made.
    case newDeployment
    case newPods([String])
}

extension DeploymentService {
    /// Makes or refreshes the deployment of what is in this directory, and builds its images.
    package func prepare(
        _ place: Workplace, tree: FileTree, _ up: ProjectUp, events: @escaping DeploymentEventHandler = { _ in }
    ) async throws -> DeploymentDirectory {
        switch place {
        case .deployment(let path):
            try up.refuseScale()
            return try DeploymentDirectory.open(path)
        case .stack(let path):
            try up.refuseScale()
            let stack = try host.resolver().resolve(path)
            let (request, prepared) = try await prepare(StackUp(stack), events: events)
            try await self.up(request, prepared, starts: false, events: events)
            return try DeploymentDirectory.open(request.directory)
        case .project(let found):
            let project = try ownProject(found, up, tree: tree)
            if let piped = found.files.first(where: { !Files.exists($0) }) {
                throw DeploymentError(
                    .unsupported, "\(lastPathComponent(piped)) can be read only once, and what runs is read again",
                    hint: "write it into a file")
            }
            let kept = try self.place(of: project)
            if up.refreshes || !kept.exists { try refuseUnsound(project, at: kept) }
            try await build(project, up, events)
            return try await keep(project, refreshes: up.refreshes, events)
        }
    }

    /// What a start would do; makes nothing.
    ///
    /// - Parameter existing: the deployment of what runs already.
    package func preview(
        _ place: Workplace, tree: FileTree, _ up: ProjectUp, _ start: StartRequest, existing: DeploymentDirectory?,
        events: DeploymentEventHandler = { _ in }
    ) async throws -> ProjectPreview {
        guard case .project(let found) = place else {
            if let existing { return .plan(try await plan(existing, start, events: events)) }
            return .newDeployment
        }
        let project = try ownProject(found, up, tree: tree)
        project.warnings.tell(events)
        try refuseUnsound(project, at: self.place(of: project))
        guard var existing else { return .newPods(project.replicaNames) }
        existing.asked = project.found
        return .plan(try await plan(existing, start, events: events))
    }

    /// What cannot be run is never written down: later verbs would trip over it.
    private func refuseUnsound(_ project: OwnProject, at kept: KeptPlace) throws {
        let directory =
            kept.exists
            ? try DeploymentDirectory.open(kept.directory)
            : DeploymentDirectory(root: kept.directory, identity: try identity(of: project, at: kept))
        _ = try LoadedDeployment.loadStrictly(
            project.found, in: directory, options: host.layerOptions, allocatesPorts: false
        ) { _ in }
    }

    private func identity(of project: OwnProject, at kept: KeptPlace) throws -> Identity {
        try Identity.new(
            stackName: kept.name, stackSource: project.found.directory, target: .podman, toolVersion: host.toolVersion)
    }

    private func ownProject(_ found: FoundProject, _ up: ProjectUp, tree: FileTree) throws -> OwnProject {
        var found = found
        found.scale = up.scale
        return try OwnProject(found, services: up.services, options: host.layerOptions, tree: tree)
    }

    private func keep(
        _ project: OwnProject, refreshes: Bool, _ events: @escaping DeploymentEventHandler
    ) async throws -> DeploymentDirectory {
        let kept = try place(of: project)
        if kept.exists, !refreshes { return try DeploymentDirectory.open(kept.directory) }
        let directory = try DeploymentDirectory.keep(
            at: kept, source: project.found.directory, toolVersion: host.toolVersion)
        try await locked(directory, verb: "up", events: events) { try directory.record(project.found) }
        return directory
    }

    private func build(_ project: OwnProject, _ up: ProjectUp, _ events: @escaping DeploymentEventHandler) async throws
    {
        guard up.builds != .never else { return }
        let engine = ImageEngine(.podman, podman: host.podman)
        var all = try project.builds(of: up.services, engine: engine)
        if up.builds == .missing {
            var missing: [ImageBuild] = []
            for build in all where try await engine.imageID(build.tag) == nil { missing.append(build) }
            all = missing
        }
        guard !all.isEmpty else { return }
        try await BuildRun(all, engine: engine, logDirectory: host.stateDirectory + "/builds").run { event in
            events(.building(event))
        }
    }
}

extension OwnProject {
    /// The services, each as often as it runs; further replicas are numbered.
    fileprivate var replicaNames: [String] {
        layered.project.services.values.flatMap { service in
            let count = service.deploy?.replicas ?? service.scale ?? 1
            return (0..<max(0, count)).map { $0 == 0 ? service.name : "\(service.name).\($0 + 1)" }
        }
    }
}

extension ProjectUp {
    /// What a deployment runs stands in its spec.
    fileprivate func refuseScale() throws(DeploymentError) {
        guard let service = scale.keys.min() else { return }
        throw DeploymentError(
            .unsupported, "--scale is for compose projects",
            hint: "write `replicas: {\(service): \(scale[service] ?? 1)}` into the deployment's spec.yml")
    }
}

extension DeploymentService {
    /// Runs a container of its own with a service's settings on streams that the caller owns, and returns its exit code.
    ///
    /// - Parameters:
    ///   - startsDependencies: whether what the service depends on is started before.
    ///   - dependencies: what happens to those.
    package func runOnce(
        _ request: RunRequest, in directory: DeploymentDirectory, on streams: CommandStreams, startsDependencies: Bool,
        dependencies: @escaping DeploymentEventHandler = { _ in }, events: @escaping EventHandler = { _ in }
    ) async throws -> Int {
        let needed =
            startsDependencies ? try read(directory).handle.dependencies(of: request.service) : []
        if !needed.isEmpty {
            var start = StartRequest(services: needed)
            start.options.keepsOrphans = true
            try await self.start(directory, start, verb: "up", events: dependencies)
        }
        let run = try await changing(directory, verb: "run", events: dependencies) { deployment in
            try await deployment.handle.prepareRun(request, events: events)
        }
        return try await run.execute(streams)
    }
}
