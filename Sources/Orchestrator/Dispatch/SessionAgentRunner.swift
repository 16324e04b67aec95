import ExternalTools
import Runtimes
package import Workspaces

/// Runs agents in sessions of `Workspaces`, in the loop of `so-agent`, on whatever runtime those have.
package struct SessionAgentRunner: AgentRunner {
    /// Opens the sessions of an agent profile, with the credentials that there are now.
    package typealias Sessions = @Sendable (AgentProfile) async throws -> SessionService

    private let sessions: Sessions
    private let clones: RepositoryClones
    /// The operator's environment.
    private let host: [String: String]
    private let configuration: Configuration
    private let declaration: @Sendable (String) throws -> AgentDeclaration
    private let log: @Sendable (String) -> Void

    /// - Parameters:
    ///   - host: the operator's environment.
    ///   - declaration: of a coding CLI, by its name.
    package init(
        _ configuration: Configuration, forge: any Forge, host: [String: String], sessions: @escaping Sessions,
        declaration: @escaping @Sendable (String) throws -> AgentDeclaration,
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.sessions = sessions
        self.declaration = declaration
        self.log = log
        self.host = host
        clones = RepositoryClones(
            directory: "\(configuration.stateDirectory)/repositories", forge: forge, host: host)
    }

    // MARK: Preparing

    package func prepare(_ task: IssueTask, budget: Double?) async throws -> PreparedSession {
        do {
            let service = try await sessions(configuration.agent(task.agent))
            await goOn(service)
            if let record = try await existing(task, service) {
                let granted = try await sessions(profile(of: task, budget: budget, session: record))
                return PreparedSession(name: try await begin(record, try task.tasking(), granted).id.description)
            }
            let granted = try await sessions(profile(of: task, budget: budget, session: nil))
            return try await clones.with(task) { place in try await start(task, at: place, granted) }
        } catch let error as WorkspaceError {
            throw TaskFailure(task.hasLostWorkspace ? .workspace : .setup, error.description)
        } catch let error as DeploymentError where error.code != .cancelled {
            throw TaskFailure(task.hasLostWorkspace ? .workspace : .setup, error.description)
        } catch let error as OrchestratorError where error.code != .conflict {
            throw TaskFailure(.forge, error.description)
        }
    }

    private func start(
        _ task: IssueTask, at place: RepositoryClones.Start, _ service: SessionService
    ) async throws -> PreparedSession {
        var task = task
        task.details.relatedFiles = Array(
            task.details.relatedFiles.filter { Files.exists("\(place.directory)/\($0)") }.prefix(30))
        var request = SessionRequest(directory: place.directory)
        request.commit = place.commit
        (request.agent, request.prompt) = (configuration.agent(task.agent).cli, try task.tasking())
        request.onExit = .discard
        let record = try await service.start(request)
        return PreparedSession(name: record.id.description, relatedFiles: task.details.relatedFiles)
    }

    /// The profile with what is left to spend: the egress counts from the session's beginning.
    private func profile(of task: IssueTask, budget: Double?, session: SessionRecord?) -> AgentProfile {
        var profile = configuration.agent(task.agent)
        let spent = session.flatMap { task.details.sessionUsage[$0.id.description]?.cost } ?? 0
        profile.budget = budget.map { $0 + spent }
        return profile
    }

    /// Finishes or takes back what a server that was killed has left half done.
    private func goOn(_ service: SessionService) async {
        do {
            _ = try await service.takeUp(failed: { log("session \($0.id) cannot be finished: \($1)") })
        } catch {
            log("sessions that were cut short are left: \(error)")
        }
    }

    /// The session of the task, or the one that a replica was killed over; another agent's, and one whose work was merged, is taken down.
    private func existing(_ task: IssueTask, _ service: SessionService) async throws -> SessionRecord? {
        let open = try service.store.all().filter { $0.state != .closed }
        let known = task.details.session.flatMap { SessionID($0) }
        guard
            let record = open.first(where: { $0.id == known }) ?? open.first(where: { $0.taskItem == task.taskItem })
        else {
            return nil
        }
        let isOver = task.details.beginsAnew == true && record.id == known
        if record.agent == configuration.agent(task.agent).cli, !isOver { return record }
        _ = try await service.finish(record, .discard, dropsRefused: true)
        return nil
    }

    private func begin(_ record: SessionRecord, _ prompt: String, _ service: SessionService) async throws
        -> SessionRecord
    {
        guard record.prompt == prompt, record.result == nil else {
            return try await service.instruct(record, prompt: prompt)
        }
        return record.state == .stopped ? try await service.resume(record) : record
    }

    // MARK: Running

    package func run(
        _ task: IssueTask, _ events: @escaping @Sendable (AgentRunEvent) -> Void
    ) async throws -> AgentOutcome {
        let profile = configuration.agent(task.agent)
        let (service, record) = try await open(task)
        // The loop in the pod ends first, and leaves a report.
        let run = SessionRun(service, record, try declaration(profile.cli), timeout: profile.timeout + 60, events)
        do {
            return try await run.outcome()
        } catch let error as WorkspaceError where error.code == .unavailable {
            // A node or an engine that is away is no fault of the agent's: it goes on where its pod comes back, or is looked for later.
            throw TaskFailure(.workspace, redacted(error.description))
        }
    }

    package func stop(_ task: IssueTask) async throws {
        guard task.details.session != nil, let (service, record) = try await whole(task) else { return }
        guard record.state != .closed, record.state != .stopped else { return }
        _ = try await service.stop(record)
    }

    package func collect(_ task: IssueTask) async throws -> CollectedWork? {
        let (service, record) = try await open(task)
        let summary: CollectionSummary?
        do {
            summary = try await broughtHome(record, service)
        } catch let error as WorkspaceError where error.code == .refused {
            throw TaskFailure(.refused, error.description)
        }
        guard let references = summary?.references, let base = record.base,
            let commit = references["\(record.id.references)wip"] ?? references["\(record.id.references)HEAD"],
            commit != base
        else { return nil }
        return CollectedWork(
            gitDirectory: service.collectedDirectory(record), host: host, commit: commit, base: base)
    }

    private func broughtHome(_ record: SessionRecord, _ service: SessionService) async throws -> CollectionSummary? {
        guard record.state != .closed else { return record.collected }
        let isUp = try await [.running, .ended].contains(service.status(record).condition)
        return isUp
            ? try await service.snapshot(record) : try await service.finish(record, .discard).record.collected
    }

    package func diff(_ task: IssueTask) async throws -> String {
        let (service, record) = try await open(task)
        return try await service.diff(record, stat: false)
    }

    package func remove(_ task: IssueTask) async throws {
        guard task.details.session != nil, let (service, record) = try await whole(task) else { return }
        if record.state != .closed { _ = try await service.finish(record, .discard, dropsRefused: true) }
    }

    package func sessions(besides known: Set<String>) async throws -> [String: Int64] {
        let service = try await sessions(configuration.agent("default"))
        let others = try service.store.all().filter { $0.state != .closed && !known.contains("\($0.id)") }
        return Dictionary(others.compactMap { record in record.taskNumber.map { ("\(record.id)", $0) } }) { $1 }
    }

    /// A session that a server was killed over is taken up or taken back first; nil where nothing of it is there any more.
    private func whole(_ task: IssueTask) async throws -> (SessionService, SessionRecord)? {
        do {
            let (service, record) = try await open(task)
            guard record.isHalfDone else { return (service, record) }
            await goOn(service)
            return (service, try service.store.read(record.id))
        } catch let error as WorkspaceError where error.code == .missing {
            return nil
        }
    }

    private func open(_ task: IssueTask) async throws -> (SessionService, SessionRecord) {
        let service = try await sessions(configuration.agent(task.agent))
        guard let id = task.details.session.flatMap({ SessionID($0) }) else {
            throw TaskFailure(.setup, "task \(task.id) has no session")
        }
        return (service, try service.store.read(id))
    }

    // MARK: Disk

    package func diskUse(of repository: RepositoryReference, tasks: [IssueTask]) async throws -> Int64 {
        let service = try await sessions(configuration.agent("default"))
        var bytes = try await DiskUse.bytes(below: clones.place(of: repository), host: host)
        let ids = Set(tasks.compactMap { $0.details.session.flatMap { SessionID($0) } })
        let records = try service.store.all().filter { ids.contains($0.id) && $0.state != .closed }
        if let record = records.first {
            bytes += try await DiskUse.bytes(below: service.projectDirectory(record), host: host)
        }
        for record in records where record.state == .running {
            // Asked in the pod: its volumes belong to other users of the host, or to another host.
            let pod = WorkspacePod(try service.deployment(record))
            bytes += try await DiskUse.bytes(in: pod, below: [PodPaths.work, PodPaths.home])
        }
        return bytes
    }
}

extension IssueTask {
    /// Whether its workspace was away when it was last worked on: what is still wrong with it may be of that.
    var hasLostWorkspace: Bool { details.session != nil && details.failure?.kind == .workspace }
}
