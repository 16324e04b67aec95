import Orchestrator
import Workspaces
import YAML

/// One terminal or command in a project's workspace, from the workspace's start to its stop where this was the last one.
struct WorkspaceUse {
    private let project: Project
    private let global: GlobalOptions

    init(_ project: Project, _ global: GlobalOptions) {
        self.project = project
        self.global = global
    }

    /// Whether nothing says yet what the project's workspace is.
    static func needsQuestions(_ project: Project) throws -> Bool {
        try !DefinitionFile(project).exists && !Host.workspaces().load(project).isDefined
    }

    /// - Returns: what the body returns.
    func run<Value>(_ body: (LastingService, LastingRecord) async throws -> Value) async throws -> Value {
        let service = try await Host.payingLasting()
        if try service.store.read(project.name) == nil { warnOfTrust() }
        let entered = try await service.enter(project, events: SessionProgress(global).handle)
        Interrupts.beginFollowing()
        let result: Result<Value, any Error>
        do { result = .success(try await body(service, entered.record)) } catch { result = .failure(error) }
        entered.terminal.close()
        await leave(service)
        return try result.get()
    }

    /// In a task of its own: a terminal that is gone has cancelled this one, and the workspace is to stop all the same.
    private func leave(_ service: LastingService) async {
        let (project, global) = (project, global)
        await Task {
            do {
                let stopped = try await service.leave(project)
                if stopped, !global.quiet { Terminal.note("the workspace has stopped: its last terminal is closed") }
            } catch {
                Terminal.note("warning: the workspace could not be stopped: \(error)" + hintLine("so workspace stop"))
            }
        }.value
    }

    private func warnOfTrust() {
        guard !global.quiet else { return }
        Terminal.note(
            """
            what runs in this workspace can change all of \(project.path), .git with its hooks and configuration included
            hint: for an agent that you do not trust with that: so session
            """)
    }
}

extension Host {
    /// The lasting workspaces of this user.
    static func lasting() throws -> LastingService { try workspaces().workspaces(deployments) }

    /// The same, with all credentials that there are: for what brings one up.
    static func payingLasting() async throws -> LastingService {
        try await workspaces().askingVault().workspaces(deployments)
    }
}
