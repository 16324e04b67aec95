import Compose
import OrderedCollections
package import Runtimes
package import Specs
import YAML

/// A stack that runs at once on podman, without a spec of its user's.
package struct StackUp: Sendable {
    package var stack: ResolvedStack
    /// The name that it runs under; nil: the stack's.
    package var name: String?
    /// An env file whose values go into the config, as the user has written its path.
    package var envFile: String?
    /// `KEY=value`, over those of the file.
    package var config: [String] = []
    /// Only these services and what they depend on; empty: all.
    package var services: [String] = []

    package init(_ stack: ResolvedStack) { self.stack = stack }
}

extension DeploymentService {
    /// Where the deployment of a stack without a spec is kept; stacks of one name have a place each.
    ///
    /// - Parameter name: the name that it runs under; nil: the stack's.
    /// - Throws: ``DeploymentError`` (`notPermitted`) where a chosen name is another stack's.
    package func place(of stack: ResolvedStack, name: String?) throws -> KeptPlace {
        try keptPlace(name ?? stack.name, of: stack.directory, isChosen: name != nil, state: host.stateDirectory)
    }

    /// Runs the stack's init hook, and decides what its deployment directory holds.
    package func prepare(
        _ up: StackUp, events: @escaping DeploymentEventHandler = { _ in }
    ) async throws -> (request: CreateRequest, prepared: PreparedDirectory) {
        let request = try await request(up, events)
        let prepared = try prepareDirectory(request)
        prepared.warnings.tell(events)
        return (request, prepared)
    }

    /// Makes the deployment directory of a stack, or brings it up to date.
    ///
    /// - Parameter starts: whether it is started, too.
    /// - Returns: what became of the start; nil where there was none.
    @discardableResult
    package func up(
        _ request: CreateRequest, _ prepared: PreparedDirectory, services: [String] = [], starts: Bool = true,
        events: @escaping DeploymentEventHandler = { _ in }
    ) async throws -> StartResult? {
        let isNew = !Files.exists("\(request.directory)/deployment.yml")
        let directory =
            isNew
            ? try await create(request, prepared, events: events) : try DeploymentDirectory.open(request.directory)
        return try await locked(directory, verb: "deploy up", recovers: !isNew, events: events) {
            if !isNew {
                _ = try await updateDirectory(
                    directory, request, contents: prepared.contents, complete: Self.createHooks(request, events))
            }
            guard starts else { return nil }
            let deployment = try await open(directory, allocatesPorts: true)
            return try await deployment.start(
                StartRequest(services: services).options(for: deployment.handle), events: events)
        }
    }

    private func request(_ up: StackUp, _ events: @escaping DeploymentEventHandler) async throws -> CreateRequest {
        let stack = up.stack
        let place = try place(of: stack, name: up.name)
        var diagnostics = Diagnostics()
        let wanted = try await specRequest(up, &diagnostics, events)
        let ports = PortMapper(recipe: .anyVariableRandom, isFree: { _ in true })
        var spec = initialSpec(stack, wanted, ports: ports, tree: .disk, diagnostics: &diagnostics)
        if place.name != stack.name { spec?.namespace = place.namespace }
        guard let spec, !diagnostics.hasErrors else { throw InvalidInput(diagnostics.list) }
        let (text, directory) = (Array(emitYAML([spec.node]).utf8), place.directory)
        let parsed = parseSpec(
            text, file: "\(directory)/spec.yml", directory: directory, diagnostics: &diagnostics)
        guard let parsed, !diagnostics.hasErrors else { throw InvalidInput(diagnostics.list) }
        return CreateRequest(
            stack: stack, spec: parsed, specText: text, directory: directory, stackSource: stack.directory,
            toolVersion: host.toolVersion, options: host.layerOptions)
    }

    /// What the init hook suggests, then the env file, then the config.
    private func specRequest(
        _ up: StackUp, _ diagnostics: inout Diagnostics, _ events: @escaping DeploymentEventHandler
    ) async throws -> SpecRequest {
        var wanted = SpecRequest(stack: up.stack.directory, target: .podman)
        wanted.homeDirectory = host.homeDirectory
        wanted.fragment = try await initialFragment(
            of: up.stack, target: .podman, diagnostics: &diagnostics, events: events)
        if let file = up.envFile {
            wanted.config = try readConfigFile(host.absolute(file), tree: .disk, diagnostics: &diagnostics)
        }
        wanted.config.merge(parseConfigFlags(up.config, diagnostics: &diagnostics)) { _, flag in flag }
        return wanted
    }
}
