import Deployments
import Egress
import Runtimes

extension WorkspaceContext {
    /// The hosts that the layers of so itself ask, by distribution and tool; `egress: {allow: …}` adds to them.
    private static let mirrors = [
        "deb.debian.org", "security.debian.org", "archive.ubuntu.com", "security.ubuntu.com", "ports.ubuntu.com",
        "dl-cdn.alpinelinux.org", "registry.npmjs.org", "pypi.org", "files.pythonhosted.org",
    ]

    /// Builds what comes from a project, or lies upon it, where it reaches what a session of it reaches: an egress of the build's own.
    ///
    /// - Parameters:
    ///   - bases: the project's own Containerfiles, for what they must not have.
    ///   - building: told what is waited for.
    func withBuildNetwork(
        _ definition: WorkspaceDefinition, _ bases: [BaseBuild], of project: Project,
        _ body: (BuildNetwork) async throws -> Void
    ) async throws {
        guard try settingsStore.load().buildNetwork != .host else { return try await body(.usual) }
        for base in bases { try base.refuseRemoteSources() }
        let engine = try ImageEngine.find(environment: environment)
        guard engine.kind == .podman, let executable, Files.exists(EgressImage.program(beside: executable)) else {
            return try await body(.none)
        }
        let recipe = try egressRecipe(beside: executable)
        try await provide(recipe) { _ in }
        let store = SessionStore(state: hostStateDirectory(environment))
        try await AbandonedBuilds(store: store, deployments: deployments).remove()
        let id = try SessionID.random()
        let lock = try await store.lock(id, verb: "build")
        let opened = try await openBuildEgress(
            id, definition, project, recipe.tag, EgressImage.program(beside: executable), store)
        do {
            let addresses = try await opened.addresses(of: StackPart.egressService)
            guard let inside = addresses.first(where: { $0.network.hasSuffix(StackPart.insideNetwork) }) else {
                throw WorkspaceError(.failed, "the egress of the build is in no network")
            }
            try await body(.egress(network: inside.network, nameServer: inside.address))
        } catch {
            await removeBuildEgress(opened, id, store)
            throw error
        }
        await removeBuildEgress(opened, id, store)
        _ = consume lock
    }

    private func openBuildEgress(
        _ id: SessionID, _ definition: WorkspaceDefinition, _ project: Project, _ image: String, _ program: String,
        _ store: SessionStore
    ) async throws -> OpenDeployment {
        let ports = try await store.lockPorts()
        let addresses = try store.freeAddresses()
        let agent = try agent(definition.agent)
        var policy = EgressPolicy(definition, agent, remote: nil, environment: [:])
        policy.deniesAll = definition.egress.deniesAll
        for name in Self.mirrors where !policy.allow.contains(name) { policy.allow.append(name) }
        let egress = SessionEgress(
            session: "\(id)", address: addresses.egress, policy: policy, token: try SessionAddresses.randomToken())
        let part = EgressPart(
            egress, in: .fixed(addresses), agent: agent, credentials: [], image: image, program: program)
        try store.makeDirectory(of: id, on: SessionRuntime())
        try Files.write([], to: AbandonedBuilds.mark(id, store), mode: 0o600)
        var stack = WorkspaceStack(
            name: "\(id)", owner: "a build of \(project.path)",
            stateDirectory: store.directory(of: id) + "/deployment", image: image,
            user: PodUser(user: 65532, group: 65532))
        stack.keeper = try store.keeper()
        stack.addresses = addresses
        stack.part = try part.part()
        let opened = try await deployments.open(stack.definition())
        var options = StartOptions()
        options.services = [StackPart.egressService]
        do {
            try await opened.start(options)
        } catch {
            await removeBuildEgress(opened, id, store)
            throw error
        }
        _ = consume ports
        return opened
    }

    /// In a task of its own: a build that was cancelled is to leave nothing either.
    private func removeBuildEgress(_ opened: OpenDeployment, _ id: SessionID, _ store: SessionStore) async {
        await Task {
            // What stays is removed by the next command.
            guard (try? await opened.stop(.withVolumes(graceSeconds: 0))) != nil else { return }
            try? store.remove(id)
        }.value
    }
}
