import Compose
import Runtimes
import Specs
import Stacks
import Synchronization
import YAML

extension DeploymentService {
    /// Builds the images of a stack, or of every stack; then a stack that fails keeps no other from being built.
    ///
    /// - Parameter built: takes what was built of each stack, as soon as it is.
    package func buildImages(
        _ request: BuildRequest, events: @escaping DeploymentEventHandler = { _ in },
        built: (StackBuild) -> Void = { _ in }
    ) async throws {
        try await eachStack(request, events) { stack, run, scratch in
            guard !run.builds.isEmpty else { return built(stack) }
            let changes = BuildChanges()
            try await run.run { event in
                changes.take(event)
                events(.building(event))
            }
            var stack = stack
            let published = try await publish(run, to: request.registry, scratch, events)
            for index in stack.images.indices {
                stack.images[index].changed = changes.of(stack.images[index].tag)
                stack.images[index].published = published[stack.images[index].tag]
            }
            built(stack)
        }
    }

    /// What ``buildImages(_:events:built:)`` would build.
    package func previewBuild(
        _ request: BuildRequest, events: DeploymentEventHandler = { _ in }, found: (StackBuild) -> Void
    ) async throws {
        try await eachStack(request, events) { stack, _, _ in found(stack) }
    }

    private func eachStack(
        _ request: BuildRequest, _ events: DeploymentEventHandler,
        _ body: (StackBuild, BuildRun, _ scratch: String) async throws -> Void
    ) async throws {
        let resolver = try host.resolver()
        let engine = try ImageEngine.find(request.engine, environment: host.environment)
        var failures: [(stack: String, reason: String)] = []
        var names: [String] = []
        for stack in try request.stacks(resolver) {
            do {
                try await host.withScratch("so-build") { scratch in
                    let options = try options(request, stack, resolver, engine, scratch)
                    let decided = try decide(request, stack, options, events)
                    names += decided.stack.names
                    let run = BuildRun(
                        decided.builds, engine: engine, logDirectory: host.stateDirectory + "/builds")
                    try await body(decided.stack, run, scratch)
                }
            } catch  where request.stack == nil && !Task.isCancelled {
                failures.append((stack.name, "\(error)"))
            }
        }
        guard failures.isEmpty else {
            throw DeploymentError(
                .failed, "not everything was built of \(failures.map(\.stack).joined(separator: ", "))",
                cause: failures.map { "\($0.stack): \($0.reason)" }.joined(separator: "\n"),
                hint: "so build-containers --stack \(failures[0].stack) shows one alone")
        }
        if request.stack == nil { try request.filter.check(names, ofAllStacks: true) }
    }

    private func options(
        _ request: BuildRequest, _ stack: ResolvedStack, _ resolver: StackResolver, _ engine: ImageEngine,
        _ scratch: String
    ) throws -> ImageBuild.Options {
        let base = resolver.locations.repositoryBase
        let workspace = try BuildWorkspace(scratch, stack: stack, base: base, engine: engine)
        var options = ImageBuild.Options(repositoryBase: base, engine: engine, workspace: workspace)
        options.forceRebuild = request.forceRebuild
        options.extraArguments = request.extraArguments
        options.isDebugging = request.isDebugging
        if let path = host.environment["PATH"] { options.searchPath = path }
        return options
    }

    private func decide(
        _ request: BuildRequest, _ stack: ResolvedStack, _ options: ImageBuild.Options, _ events: DeploymentEventHandler
    ) throws -> (stack: StackBuild, builds: [ImageBuild]) {
        let sections = try serviceBuilds(request, stack, options, events)
        let names = stack.containers.map(\.image) + sections.map(\.image)
        if request.stack != nil { try request.filter.check(names) }
        let chosen = Set(request.filter.chosen(names))
        let containers = try stack.containers.filter { chosen.contains($0.image) }.map {
            build throws(DeploymentError) in
            try ImageBuild(build, options: options)
        }
        let known = Set(containers.map(\.tag))
        let builds = containers + sections.filter { chosen.contains($0.image) && !known.contains($0.tag) }
        let images = builds.map { StackBuild.Image(tag: $0.tag, command: $0.command) }
        return (StackBuild(stack: stack, names: names, images: images), builds)
    }

    /// The `build:` sections; a stack whose compose files cannot be read yet, because a repository lacks, is told as such.
    private func serviceBuilds(
        _ request: BuildRequest, _ stack: ResolvedStack, _ options: ImageBuild.Options, _ events: DeploymentEventHandler
    ) throws -> [ImageBuild] {
        var diagnostics = Diagnostics()
        var layering = host.layerOptions
        layering.requiresInputs = false
        var spec = Spec(file: "(no spec)", directory: stack.directory)
        if let file = request.specFile { spec = try loadSpec(host.absolute(file), tree: .disk).spec }
        guard let project = layer(stack, spec: spec, options: layering, tree: .disk, diagnostics: &diagnostics) else {
            // The images of `containers` do not need the compose files.
            if stack.containers.isEmpty { throw InvalidInput(diagnostics.list) }
            diagnostics.list.tell(events)
            return []
        }
        var found = Diagnostics()
        let builds = ImageBuild.ofServices(project, options: options, diagnostics: &found)
        try found.throwIfErrors()
        return builds
    }

    private func publish(
        _ run: BuildRun, to registry: String?, _ scratch: String, _ events: @escaping DeploymentEventHandler
    ) async throws -> [String: PublishedImage] {
        guard let registry else { return [:] }
        let images = try await run.engine.publish(run.builds.map(\.tag), to: registry, scratch: scratch) {
            events(.message($0))
        }
        return Dictionary(images.map { ($0.image, $0) }) { $1 }
    }
}

extension BuildRequest {
    fileprivate func stacks(_ resolver: StackResolver) throws -> [ResolvedStack] {
        if let stack { return [try resolver.resolve(stack)] }
        return try resolver.list().map { try resolver.resolve($0.directory) }
    }
}

/// Which images are others than before.
private final class BuildChanges: Sendable {
    private let changes = Mutex<[String: Bool]>([:])

    func take(_ event: BuildEvent) {
        guard case .finished(let build, let changed) = event else { return }
        changes.withLock { $0[build.tag] = changed }
    }

    func of(_ tag: String) -> Bool? { changes.withLock { $0[tag] } }
}
