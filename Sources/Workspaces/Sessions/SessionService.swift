package import Deployments
import ExternalTools
import FoundationEssentials
package import Stacks

/// Sessions of agents: each a clone, a pod and a branch of its own. Dozens may be under way in one process.
///
/// Nothing is printed, and no terminal is touched but by ``SessionService/attach(_:)`` and ``SessionService/exec(_:_:tty:)``. Every operation can be
/// cut short, by a signal or by the end of the process: the record says how far it came, and ``takeUp(events:)`` goes on from there.
package struct SessionService: Sendable {
    package let deployments: DeploymentService
    package let store: SessionStore
    let finder: any SessionPartsFinder
    /// The runtime of all sessions, and what else a spec says.
    package var spec = Spec()

    /// - Parameter state: see `hostStateDirectory(_:)`.
    package init(_ deployments: DeploymentService, state: String, finder: any SessionPartsFinder) {
        self.deployments = deployments
        self.finder = finder
        store = SessionStore(state: state)
    }

    func stores(_ record: SessionRecord) -> ProjectStores {
        ProjectStores(state: store.state, projectName: record.projectName)
    }

    func checkout(_ record: SessionRecord) -> Checkout {
        Checkout(
            session: record.id, directory: PodPaths.checkout(record.projectName), baseStore: PodPaths.baseStore)
    }

    /// Starts a session, and returns when its agent has been started.
    ///
    /// - Throws: what the preflight or a step found; nothing is left of the session then.
    package func start(
        _ request: SessionRequest, events: @escaping SessionEvents = { _ in }
    ) async throws -> SessionRecord {
        let repository = try await ProjectRepository.open(request.directory)
        let project = try Project(repository.root)
        let definition = try finder.definition(project, request)
        let start = try await repository.start()
        var record = SessionRecord(
            id: try SessionID.random(), project: project.path, projectName: project.name, agent: definition.agent)
        record.prompt = request.prompt
        record.arguments = request.arguments
        record.onExit = request.onExit ?? definition.onExit
        (record.base, record.baseBranch, record.remote) = (start.commit, start.branch, start.remote)
        record.copied = definition.copy
        record.user = Self.user(definition, project)
        events(.preparing(record.id))
        let lock = try await store.lock(record.id, verb: "start")
        try store.write(record)
        do {
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
        record.image = parts.image
        try advance(&record, to: .cloning)
        events(.cloning)
        let base = BaseStore(stores(record))
        try await base.prepare(record.id, from: repository, at: start)
        try advance(&record, to: .starting)
        try await up(record, project, parts, identity: try await repository.identity(), events)
        try advance(&record, to: .running)
    }

    /// Deploys the session's pods, which make the checkout and start the agent.
    func up(
        _ record: SessionRecord, _ project: Project, _ parts: SessionParts, identity: GitIdentity?,
        _ events: @escaping SessionEvents
    ) async throws {
        let script = RunScript(
            checkout: checkout(record), start: record.startingPoint, identity: identity, agent: parts.agent,
            isHeadless: record.prompt != nil, setup: parts.definition.setup,
            copied: copies(project, parts.definition.copy))
        var stack = try stack(record, image: parts.image, user: record.user ?? Self.user(parts.definition, project))
        stack.resources = parts.definition.resources
        stack.environment = parts.definition.environment
        stack.passed = parts.passed
        stack.part = parts.part
        stack.copied = try copiedFiles(project, script.copied)
        stack.scripts = try await scripts(script, record)
        for (name, value) in parts.agent.environment { stack.part.agentEnvironment[name] = value }
        let opened = try deployments.open(stack.definition())
        try await opened.start { events(.pods($0)) }
    }

    private func scripts(_ script: RunScript, _ record: SessionRecord) async throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [
            "main": Array(script.main.utf8), "agent": Array(script.agentScript.utf8),
            "stop": Array(script.stopScript.utf8), "clone": Array(Checkout.script.utf8),
            "tmux.conf": Array(RunScript.tmuxConfiguration.utf8),
            "references": try await BaseStore(stores(record)).checkoutReferences(),
        ]
        for (number, path) in script.agent.files.keys.sorted().enumerated() {
            files["file-\(number)"] = script.agent.files[path]
        }
        return files
    }

    /// The ignored files that come along, by path, with the name of each in the pod; those that are not there are left out.
    private func copies(_ project: Project, _ paths: [String]) -> [String: String] {
        var names: [String: String] = [:]
        for (number, path) in paths.enumerated() where Files.exists("\(project.path)/\(path)") {
            names[path] = "copy-\(number)"
        }
        return names
    }

    private func copiedFiles(_ project: Project, _ names: [String: String]) throws -> [String: String] {
        var texts: [String: String] = [:]
        for (path, name) in names {
            let file = Files.canonical("\(project.path)/\(path)")
            guard file.hasPrefix(project.path + "/"), let text = String(validating: try Files.read(file), as: UTF8.self)
            else {
                throw WorkspaceError(
                    .invalid, "copy: \(path) is no text file of the project",
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
        stack.baseStore = stores(record).base
        stack.spec = spec
        try Files.makeDirectory(store.directory(of: record.id), mode: 0o700)
        return stack
    }

    /// The session's deployment as its labels know it: for all but bringing it up.
    package func deployment(_ record: SessionRecord) throws -> OpenDeployment {
        let stack = try stack(record, image: record.image ?? "none", user: PodUser(user: 0, group: 0))
        return try deployments.open(stack.definition())
    }

    func advance(_ record: inout SessionRecord, to state: SessionRecord.State) throws {
        record.state = state
        try store.write(record)
    }

    /// Takes back what a start that failed has made. In a task of its own: a cancelled start has to be taken back too.
    private func undo(_ record: SessionRecord) async {
        await Task {
            var options = StopOptions()
            (options.deleteVolumes, options.graceSeconds) = (true, 0)
            do {
                if record.image != nil { try await deployment(record).stop(options) }
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
    /// What the session begins from.
    var startingPoint: StartingPoint { StartingPoint(commit: base ?? "", branch: baseBranch, remote: remote) }
}
