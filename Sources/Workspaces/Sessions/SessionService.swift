package import Deployments
import Egress
import ExternalTools
import FoundationEssentials
import Runtimes
package import Specs
import YAML

/// Sessions of agents: each a clone, a pod and a branch of its own. Dozens may be under way in one process.
///
/// Nothing is printed, and no terminal is touched but by ``SessionService/attach(_:)`` and ``SessionService/exec(_:_:tty:)``. Every operation can be
/// cut short, by a signal or by the end of the process: the record says how far it came, and ``takeUp(events:)`` goes on from there.
package struct SessionService: Sendable {
    package let deployments: DeploymentService
    package let store: SessionStore
    let finder: any SessionPartsFinder
    /// The runtime of sessions whose request names none, and what else a spec says.
    package var spec = Spec()
    /// How long a pod whose runtime brings it up again may be away.
    var patience = Duration.seconds(300)

    /// - Parameter state: see `hostStateDirectory(_:)`.
    package init(_ deployments: DeploymentService, state: String, finder: any SessionPartsFinder) {
        self.deployments = deployments
        self.finder = finder
        store = SessionStore(state: state)
    }

    func stores(_ record: SessionRecord) -> ProjectStores {
        ProjectStores(state: store.state, projectName: record.projectName, host: deployments.host.environment)
    }

    func checkout(_ record: SessionRecord) -> Checkout {
        Checkout(
            session: record.id, directory: PodPaths.checkout(record.projectName),
            baseStore: record.place.mountsHost ? PodPaths.baseStore : PodPaths.broughtStore)
    }

    /// Starts a session, and returns when its agent has been started.
    ///
    /// - Throws: what the preflight or a step found; nothing is left of the session then.
    package func start(
        _ request: SessionRequest, events: @escaping SessionEvents = { _ in }
    ) async throws -> SessionRecord {
        let repository = try await repository(at: request.directory)
        let project = try Project(repository.root)
        let definition = try finder.definition(project, request)
        let start = try await repository.start(at: request.commit)
        if let claimed = try await claim(request, repository, project, definition, start, events) { return claimed }
        var record = SessionRecord(
            id: try SessionID.random(), project: project.path, projectName: project.name, agent: definition.agent)
        record.user = Self.user(definition, project)
        record.take(request, definition, start)
        record.runtime = try runtime(request)
        if !record.place.mountsHost { record.generation = try SessionAddresses.randomToken() }
        events(.preparing(record.id))
        let lock = try await store.lock(record.id, verb: "start")
        try store.write(record)
        do {
            try await choosePlaces(&record, definition, isUp: false)
            for note in try await repository.leftBehind(start) { events(.note(note)) }
            try await bringUp(&record, repository, project, definition, events)
        } catch {
            await undo(record)
            throw error
        }
        _ = consume lock
        return record
    }

    private func bringUp(
        _ record: inout SessionRecord, _ repository: ProjectRepository, _ project: Project,
        _ definition: WorkspaceDefinition, _ events: @escaping SessionEvents
    ) async throws {
        let start = record.startingPoint
        let parts = try await finder.parts(record, project, definition, start: start, events: events)
        record.take(parts)
        try advance(&record, to: .cloning)
        events(.cloning)
        // A cluster that does not answer leaves nothing to be taken back.
        if !record.place.mountsHost { _ = try await deployment(record).status() }
        let base = BaseStore(stores(record))
        try await base.prepare(record.id, from: repository, at: start)
        try advance(&record, to: .starting)
        try await up(&record, project, parts, identity: try await repository.identity(), events)
        try advance(&record, to: .running)
    }

    /// Where a session runs: as its request says, else the service, else the user's settings.
    func runtime(_ request: SessionRequest) throws -> SessionRuntime {
        try request.runtime ?? defaultRuntime()
    }

    func defaultRuntime() throws -> SessionRuntime {
        guard let target = spec.deployTo else { return try finder.runtime() }
        return SessionRuntime(target, kubeconfig: spec.kubeConfig?.value, imageRegistry: spec.imageRegistry)
    }

    /// Deploys the session's pods, which make the checkout and start the agent.
    func up(
        _ record: inout SessionRecord, _ project: Project, _ parts: SessionParts, identity: GitIdentity?,
        _ events: @escaping SessionEvents
    ) async throws {
        var parts = parts
        if !record.place.fixesAddresses { parts = try await surveyed(&record, project, parts, events) }
        let script = script(record, project, parts, identity)
        let opened = try await open(record, project, parts, script)
        let result = try await opened.start { events(.pods($0)) }
        record.routes = SessionAddress.routes(result.routes)
        if !record.place.mountsHost, record.poolKey == nil, try await !isClaimed(record) {
            try await claim(record, project, script)
        }
        try await opened.reportHostServices(
            parts.part.hostServices, gateway: record.network?.addresses?.gateway, events)
        if parts.definition.runsContainers { try await opened.reportContainers(record.place, events) }
        if record.poolKey == nil { await tellUp(record) }
    }

    /// From now on the session's pod may be idle. One that does not hear it is busy until it takes its bringing up for killed.
    func tellUp(_ record: SessionRecord) async {
        guard record.idleTimeout != nil, let deployment = try? deployment(record) else { return }
        await WorkspacePod(deployment).tellUp()
    }

    /// Brings the egress up before the others, where only it can tell what they have to know; returns the parts with that in them.
    private func surveyed(
        _ record: inout SessionRecord, _ project: Project, _ parts: SessionParts, _ events: @escaping SessionEvents
    ) async throws -> SessionParts {
        guard parts.part.services[StackPart.egressService] != nil else { return parts }
        var options = StartOptions()
        options.services = [StackPart.egressService]
        let opened = try await open(record, project, parts, script(record, project, parts, nil))
        try await opened.start(options) { events(.pods($0)) }
        let found = try await surroundings(record)
        if parts.definition.egress.deniesAll, found.answering.isEmpty {
            throw WorkspaceError(
                .failed,
                "the egress pod reaches neither the cluster's API nor its name server: nothing shows that the agent's pod is held back",
                hint: "let pods reach one of them, or accept it: egress: {deny-all: false} in workspace.yml")
        }
        record.surroundings = found
        try store.write(record)
        return try await finder.parts(
            record, project, parts.definition, start: record.startingPoint, events: events)
    }

    func open(
        _ record: SessionRecord, _ project: Project, _ parts: SessionParts, _ script: RunScript
    ) async throws -> OpenDeployment {
        var stack = try stack(record, image: parts.image, user: record.user ?? Self.user(parts.definition, project))
        stack.resources = parts.definition.resources
        stack.runtimeClass = parts.definition.runtimeClass
        stack.runsContainers = parts.definition.runsContainers
        stack.environment = parts.definition.environment
        stack.passed = parts.passed
        stack.part = parts.part
        stack.copied = try copiedFiles(project, script.copied)
        stack.scripts = try await scripts(script, record)
        if record.poolKey != nil || !record.place.mountsHost {
            stack.scripts = PoolScript(script).scripts(record.generation)
            stack.copied = [:]
        }
        for (name, value) in parts.agent.environment { stack.part.agentEnvironment[name] = value }
        return try await deployments.open(stack.definition())
    }

    func script(
        _ record: SessionRecord, _ project: Project, _ parts: SessionParts, _ identity: GitIdentity?
    ) -> RunScript {
        RunScript(
            checkout: checkout(record), start: record.startingPoint, identity: identity, agent: parts.agent,
            isHeadless: record.prompt != nil, setup: parts.definition.setup,
            copied: copies(project, parts.definition.copy), gate: parts.part.gate,
            watch: PodWatch(
                idleSeconds: parts.definition.idleTimeout, endsWhenIdle: !record.place.restartsPods,
                gate: parts.part.gate))
    }

    func scripts(_ script: RunScript, _ record: SessionRecord) async throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [
            "main": Array(script.main.utf8), "agent": Array(script.agentScript.utf8),
            "stop": Array(script.stopScript.utf8), "clone": Array(Checkout.script.utf8),
            "tmux.conf": Array(RunScript.tmuxConfiguration.utf8),
            "checkout": Array(script.checkoutScript(record.folders).utf8),
            "references": try await BaseStore(stores(record)).checkoutReferences(),
        ]
        for (number, path) in script.agent.files.keys.sorted().enumerated() {
            files["file-\(number)"] = script.agent.files[path]
        }
        return files
    }

    /// The ignored files that come along, by path, with the name of each in the pod; those that are not there are left out.
    func copies(_ project: Project, _ paths: [String]) -> [String: String] {
        var names: [String: String] = [:]
        for (number, path) in paths.enumerated() where Files.exists("\(project.path)/\(path)") {
            names[path] = "copy-\(number)"
        }
        return names
    }

    func copiedFiles(_ project: Project, _ names: [String: String]) throws -> [String: String] {
        var texts: [String: String] = [:]
        for (path, name) in names {
            let file = Files.canonical("\(project.path)/\(path)")
            guard file.hasPrefix(project.path + "/"), let text = String(validating: try Files.read(file), as: UTF8.self)
            else {
                throw WorkspaceError(
                    .invalid, "copy: \(path) is not a text file of the project",
                    hint: "take it out of copy: in workspace.yml")
            }
            texts[name] = text
        }
        return texts
    }

    /// A session's checkout is its own, so that it never needs root's numbers.
    static func user(_ definition: WorkspaceDefinition, _ project: Project) -> PodUser {
        definition.user ?? (project.owner.user == 0 ? PodUser(user: 1000, group: 1000) : project.owner)
    }

    /// The stack of a session's own, with nothing in it yet.
    func stack(_ record: SessionRecord, image: String, user: PodUser) throws -> WorkspaceStack {
        var stack = WorkspaceStack(
            name: record.id.description, owner: "session \(record.id) of \(record.project)",
            stateDirectory: store.directory(of: record.id) + "/deployment", image: image, user: user)
        stack.keeper = try store.keeper()
        stack.runtime = record.place
        stack.baseStore = record.place.mountsHost ? stores(record).base : nil
        stack.addresses = record.network?.addresses
        (stack.folders, stack.checkout) = (record.folders, checkout(record).directory)
        stack.spec = spec
        try store.makeDirectory(of: record)
        return stack
    }

    /// The session's deployment as its labels know it: for all but bringing it up.
    package func deployment(_ record: SessionRecord) throws -> OpenDeployment {
        var stack = try stack(record, image: record.image ?? "none", user: PodUser(user: 0, group: 0))
        for service in record.services { stack.part.services[service] = .map([("image", .string("none"))]) }
        return try deployments.read(stack.definition())
    }

    func advance(_ record: inout SessionRecord, to state: SessionRecord.State) throws {
        record.state = state
        if state == .running { record.hasRun = true }
        try store.write(record)
    }

    /// Takes back what a start that failed has made. In a task of its own: a cancelled start has to be taken back too.
    func undo(_ record: SessionRecord) async {
        await Task {
            do {
                let mayHavePods = record.image != nil && record.state != .created && record.state != .cloning
                if mayHavePods { try await deployment(record).stop(removing(record.place)) }
                try await BaseStore(stores(record)).release(record.id)
                try store.remove(record.id)
            } catch {
                // The record stays, and the next command takes it up from there.
                var left = record
                left.problems = ["\(error)"]
                try? store.write(left)
            }
        }.value
    }
}

extension SessionRecord {
    /// What is asked for, and what it begins from.
    mutating func take(_ request: SessionRequest, _ definition: WorkspaceDefinition, _ start: StartingPoint) {
        prompt = request.prompt
        arguments = request.arguments
        onExit = request.onExit ?? definition.onExit
        (base, baseBranch, remote) = (start.commit, start.branch, start.remote)
        copied = definition.copy
    }

    /// What has to be known of the parts to find them again.
    mutating func take(_ parts: SessionParts) {
        image = parts.image
        services = parts.part.services.keys.sorted()
        companionImages = parts.part.images
        folders = parts.part.folders
        idleTimeout = parts.definition.idleTimeout
    }

    /// What the session begins from.
    var startingPoint: StartingPoint { StartingPoint(commit: base ?? "", branch: baseBranch, remote: remote) }
}
