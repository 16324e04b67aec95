import Deployments
import ExternalTools
import FoundationEssentials
import SystemCrypto

/// What is in a project's pool.
package struct PoolReport: Hashable, Sendable {
    package var ready: [SessionID]
    package var made: Int
    package var removed: Int
}

extension SessionService {
    /// Brings a project's pool to a size: pods of its definition that wait for a session to claim them. Those of an older definition are removed.
    ///
    /// The image, the environment, the limits and the egress of a pod are fixed when it is made; its commit, agent and instruction come with the claim.
    package func fillPool(
        _ directory: String, size: Int, agent: String? = nil, on place: SessionRuntime? = nil,
        events: @escaping SessionEvents = { _ in }
    ) async throws -> PoolReport {
        let repository = try await repository(at: directory)
        let project = try Project(repository.root)
        var request = SessionRequest(directory: directory)
        (request.agent, request.runtime) = (agent, place)
        let definition = try finder.definition(project, request)
        let start = try await repository.start()
        let runtime = try runtime(request)
        let key = try poolKey(project, definition, runtime)
        let members = try store.all().filter { $0.state == .pooled && $0.project == project.path }
        var kept: [SessionRecord] = []
        for member in members where member.poolKey == key && kept.count < size {
            if try await isUp(member) { kept.append(member) }
        }
        let surplus = members.filter { [kept] member in !kept.contains { $0.id == member.id } }
        for member in surplus { try await discard(member) }
        let made = try await withThrowingTaskGroup(of: SessionID.self) { group in
            for _ in kept.count..<size {
                group.addTask { [request] in
                    try await member(key, request, repository, project, definition, start, events)
                }
            }
            return try await group.reduce(into: [SessionID]()) { $0.append($1) }
        }
        return PoolReport(ready: (kept.map(\.id) + made).sorted(), made: made.count, removed: surplus.count)
    }

    private func member(
        _ key: String, _ request: SessionRequest, _ repository: ProjectRepository, _ project: Project,
        _ definition: WorkspaceDefinition, _ start: StartingPoint, _ events: @escaping SessionEvents
    ) async throws -> SessionID {
        var record = SessionRecord(
            id: try SessionID.random(), project: project.path, projectName: project.name, agent: definition.agent)
        record.user = Self.user(definition, project)
        record.take(request, definition, start)
        record.poolKey = key
        record.runtime = try runtime(request)
        if !record.place.mountsHost { record.generation = try SessionAddresses.randomToken() }
        let lock = try await store.lock(record.id, verb: "pool")
        try store.write(record)
        do {
            try await choosePlaces(&record, definition, isUp: false)
            let parts = try await finder.parts(record, project, definition, start: start, events: events)
            guard parts.part.folders.isEmpty else {
                throw WorkspaceError(
                    .invalid, "companions share folders of the checkout, which has to be made before they start",
                    hint: "a pool needs a compose file that mounts no folder of the project")
            }
            record.take(parts)
            try advance(&record, to: .cloning)
            if !record.place.mountsHost { _ = try await deployment(record).status() }
            try await BaseStore(stores(record)).prepare(record.id, from: repository, at: start)
            try advance(&record, to: .starting)
            try await up(&record, project, parts, identity: nil, events)
            try advance(&record, to: .pooled)
        } catch {
            await undo(record)
            throw error
        }
        _ = consume lock
        return record.id
    }

    /// Takes a pod of the pool that fits; nil where there is none.
    func claim(
        _ request: SessionRequest, _ repository: ProjectRepository, _ project: Project,
        _ definition: WorkspaceDefinition, _ start: StartingPoint, _ events: @escaping SessionEvents
    ) async throws -> SessionRecord? {
        let key = try poolKey(project, definition, try runtime(request))
        for member in try store.all() where member.poolKey == key && member.state == .pooled {
            guard !store.isLocked(member.id) else { continue }
            let lock = try await store.lock(member.id, verb: "start")
            guard var record = try? store.read(member.id), record.state == .pooled else { continue }
            events(.preparing(record.id))
            do {
                try await hand(&record, request, repository, project, definition, start, events)
                _ = consume lock
                return record
            } catch {
                // A pod that has ended while it waited does not keep another one from starting.
                await undo(record)
                try Task.checkCancellation()
                events(.note("session \(record.id) of the pool could not be claimed: \(error)"))
            }
        }
        return nil
    }

    /// Makes a pod of the pool the session that was asked for.
    private func hand(
        _ record: inout SessionRecord, _ request: SessionRequest, _ repository: ProjectRepository, _ project: Project,
        _ definition: WorkspaceDefinition, _ start: StartingPoint, _ events: @escaping SessionEvents
    ) async throws {
        record.take(request, definition, start)
        record.agent = definition.agent
        record.createdAt = Date()
        try advance(&record, to: .starting)
        let parts = try await finder.parts(record, project, definition, start: start, events: events)
        try await BaseStore(stores(record)).prepare(record.id, from: repository, at: start)
        try await claim(record, project, script(record, project, parts, try await repository.identity()))
        record.poolKey = nil
        await tellUp(record)
        try advance(&record, to: .running)
    }

    /// Hands a waiting pod what it is to do, and returns when its agent has been started.
    func claim(_ record: SessionRecord, _ project: Project, _ script: RunScript) async throws {
        let pod = WorkspacePod(try deployment(record))
        if !record.place.mountsHost {
            let transfer = BaseTransfer(BaseStore(stores(record)), to: checkout(record).baseStore)
            try await transfer.bring(record.id, record.startingPoint, into: pod)
        }
        var script = script
        script.place = PoolScript.claimed
        script.gate = []
        var files = try await scripts(script, record)
        for (name, text) in try copiedFiles(project, script.copied) { files[name] = Array(text.utf8) }
        if let generation = record.generation { files["new-generation"] = Array(generation.utf8) }
        let answer = try await pod.capture(["sh", "-c", PoolScript.claim], input: PoolScript.input(files), limit: 4096)
        guard answer.status == 0, answer.text == "ready" else {
            throw WorkspaceError(.failed, "its pod does not answer", cause: answer.standardError)
        }
    }

    /// Whether a pod has been claimed since it was brought up.
    func isClaimed(_ record: SessionRecord) async throws -> Bool {
        guard let generation = record.generation else { return false }
        let command = ["cat", "\(PoolScript.claimed)/generation"]
        let answer = try await WorkspacePod(deployment(record)).capture(command, limit: 4096)
        return answer.status == 0 && answer.text == generation
    }

    private func discard(_ member: SessionRecord) async throws {
        let lock = try await store.lock(member.id, verb: "pool")
        guard let record = try? store.read(member.id), record.state == .pooled else { return }
        await undo(record)
        _ = consume lock
    }

    /// Of all that is fixed when a pod is made.
    private func poolKey(
        _ project: Project, _ definition: WorkspaceDefinition, _ runtime: SessionRuntime
    ) throws -> String {
        let user = Self.user(definition, project)
        let place = "\(runtime.name) \(runtime.kubeconfig ?? "") \(runtime.imageRegistry ?? "")"
        return sha256Hex(
            "\(project.path)\n\(definition.digest)\n\(user.user):\(user.group)\n\(place)\n\(try finder.fingerprint(definition))"
        )
    }
}
