/// What a start of a session would begin with.
package struct SessionPlan: Hashable, Sendable {
    package var project: String
    package var agent: String
    package var commit: String
}

extension SessionService {
    /// All that a start checks before it makes anything.
    package func plan(_ request: SessionRequest) async throws -> SessionPlan {
        let repository = try await repository(at: request.directory)
        let definition = try finder.definition(try Project(repository.root), request)
        let start = try await repository.start()
        return SessionPlan(project: repository.root, agent: definition.agent, commit: start.commit)
    }

    /// The project that a directory belongs to, as its sessions name it.
    package func project(at directory: String) async throws -> String {
        try await repository(at: directory).root
    }
}
