import Deployments
import Egress
import Runtimes

extension WorkspaceContext {
    /// Egress and companions of a session; images are built where the engine does not have them, and `building` is told the tag of each first.
    ///
    /// - Throws: ``WorkspaceError`` (`unavailable`) where the agent has no credential, `InvalidInput` for what the compose file may not have.
    package func parts(
        of record: SessionRecord, _ project: Project, _ definition: WorkspaceDefinition, _ agent: AgentDeclaration,
        building: (String) -> Void
    ) async throws -> StackPart {
        guard let network = record.network, let token = record.token else { return StackPart() }
        let companions = CompanionPart(
            databases: Companions(definition, settings: try settingsStore.load(), networks: []),
            services: try ProjectServices(definition.compose, of: project), network: network)
        let part = try companions.part()
        try record.place.check(part)
        guard record.folders.isEmpty || record.folders == part.folders else {
            throw WorkspaceError(
                .invalid, "the compose file shares other folders than when session \(record.id) began",
                hint: "bring the old mounts back, or so session finish \(record.id) and start another")
        }
        if !companions.services.builds.isEmpty {
            try await provide(companions.services.builds, of: project, definition, building: building)
            try await push(companions.services.builds.map(\.tag), record.place)
        }
        var policy = EgressPolicy(definition, agent, remote: record.remote, environment: environment)
        policy.hosts = companions.hosts
        if let gateway = network.addresses?.gateway {
            policy.forwards = part.hostServices.map { .init(port: $0.port, host: gateway, hostPort: $0.port) }
        }
        var egress = SessionEgress(session: "\(record.id)", address: network.egress, policy: policy, token: token)
        egress.listen = network.listen
        let credentials = try credentials.credentials(of: agent)
        return part.merging(
            try await egressPart(
                egress, in: network, record.place, agent, credentials, remote: record.remote, ports: record.ports,
                name: "\(record.projectName)-\(record.id.token)", building: building))
    }

    /// The egress pod of a session or workspace, its image built where the engine does not have it.
    ///
    /// - Parameters:
    ///   - ports: the port of 127.0.0.1 for each port of the agent's pod.
    ///   - name: no two sessions and workspaces have the same.
    func egressPart(
        _ egress: SessionEgress, in network: SessionNetwork, _ runtime: SessionRuntime,
        _ agent: AgentDeclaration, _ credentials: [Credential], remote: String?, ports: [Int: Int], name: String,
        building: (String) -> Void
    ) async throws -> StackPart {
        guard let executable else {
            throw WorkspaceError(
                .missing, "the path of the so executable is not known, so so-egress cannot be found",
                hint: "call so by its absolute path")
        }
        let recipe = try egressRecipe(beside: executable)
        try await provide(recipe, building: building)
        try await push([recipe.tag], runtime)
        var egress = egress
        let authority = try authority()
        egress.authorities = authority?.own
        var egressPart = EgressPart(
            egress, in: network, agent: agent, credentials: credentials, image: recipe.tag,
            program: EgressImage.program(beside: executable), ports: ports)
        egressPart.mountsProgram = runtime.mountsHost
        let settings = try settingsStore.load()
        if settings.routes { egressPart.hostName = name }
        var part = try egressPart.part()
        part.routesImage = settings.routesImage
        if let authority {
            part.agentFiles[CertificateAuthority.file] = authority.all
            part.agentEnvironment.merge(CertificateAuthority.environment) { $1 }
        }
        if let forge = remote.flatMap(ForgeRepository.init) {
            part.agentEnvironment.merge(forge.gitEnvironment(egress: egress.url, token: egress.token)) { $1 }
        }
        return part
    }
}

extension SessionRecord {
    /// Where its pods run.
    package var place: SessionRuntime { runtime ?? SessionRuntime() }

    /// How its pods find each other; nil where nothing has been chosen yet.
    var network: SessionNetwork? {
        place.fixesAddresses ? addresses.map { .fixed($0) } : .named(surroundings)
    }
}

extension SessionRuntime {
    /// - Throws: ``WorkspaceError`` (`invalid`) for what its pods cannot have.
    func check(_ part: StackPart) throws(WorkspaceError) {
        if let service = part.hostServices.first, !fixesAddresses {
            throw WorkspaceError(
                .invalid, "`databases: {\(service.name): host}`: no pod of \(name) reaches this host",
                hint: "write `databases: [\(service.name)]` for one beside the agent, or so session --deploy-to podman")
        }
        if let folder = part.folders.keys.min(), !mountsHost {
            throw WorkspaceError(
                .invalid,
                "a companion shares \(folder.isEmpty ? "the checkout" : folder) with the agent, and on "
                    + "\(name) the checkout is made after the companions have started",
                hint: "leave it out with `services:` in workspace.yml, or so session --deploy-to podman")
        }
    }
}

extension WorkspaceContext {
    /// Brings images to the registry that a cluster's nodes pull from, each once: its tag is the digest of what is in it.
    func push(_ images: [String], _ runtime: SessionRuntime) async throws {
        guard runtime.needsRegistry, let registry = runtime.imageRegistry else { return }
        let file = "\(stateDirectory)/pushed-images"
        let known = try Files.readIfPresent(file).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let pushed = Set(known.split(separator: "\n").map(String.init))
        let missing = images.filter { !pushed.contains("\(registry) \($0)") }
        guard !missing.isEmpty else { return }
        let engine = try ImageEngine.find(environment: environment)
        _ = try await engine.publish(missing, to: registry, scratch: scratch)
        try Files.makeDirectory(stateDirectory, mode: 0o700)
        let lines = pushed.union(missing.map { "\(registry) \($0)" }).sorted()
        try Files.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: file, mode: 0o600)
    }
}
