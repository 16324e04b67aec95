import ArgumentParser
import Orchestrator
import Workspaces

/// The session that a command is about.
struct SessionChoice: ParsableArguments {
    @Argument(help: "The session's id, or the beginning of one (default: the project's only session).")
    var session: String?

    @OptionGroup var place: ProjectDirectory

    /// - Throws: `WorkspaceError` (`missing`) where there is none, or more than one.
    func open() async throws -> (service: SessionService, record: SessionRecord) {
        try await Host.session(session, place: place)
    }
}

extension Host {
    /// The sessions of this user.
    static func sessions() throws -> SessionService { try workspaces().sessions(deployments) }

    /// The same, with all credentials that there are: for what starts an agent.
    static func payingSessions() async throws -> SessionService {
        try await workspaces().askingVault().sessions(deployments)
    }

    /// A session by its id, or the only one of a project; what killed commands left is finished first.
    static func session(
        _ text: String?, place: ProjectDirectory
    ) async throws -> (service: SessionService, record: SessionRecord) {
        let service = try sessions()
        await takeUp(service)
        return (service, try await service.find(text, directory: try place.project.path))
    }

    /// Goes on where commands were killed; what cannot be finished now is told, and keeps nobody from other sessions.
    static func takeUp(_ service: SessionService) async {
        do {
            for record in try await service.takeUp(failed: notFinished) {
                Terminal.note("session \(record.id) was cut short, and is finished now")
            }
        } catch {
            Terminal.note("warning: sessions that were cut short cannot be looked at: \(error)")
        }
    }

    static func notFinished(_ record: SessionRecord, _ error: any Error) {
        Terminal.note("warning: session \(record.id) was cut short, and cannot be finished: \(error)")
    }
}
