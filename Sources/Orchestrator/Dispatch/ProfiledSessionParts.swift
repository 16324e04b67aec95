import Runtimes
package import Workspaces

/// The parts of a project's sessions, with what an agent profile of the configuration says over them.
package struct ProfiledSessionParts: SessionPartsFinder {
    private let context: WorkspaceContext
    private let parts: ProjectSessionParts
    private let profile: AgentProfile

    package init(_ context: WorkspaceContext, _ profile: AgentProfile) {
        let loop = context.executable.map {
            SessionLoop(program: "\(Files.parent(of: $0))/so-agent", timeLimit: profile.timeout)
        }
        self.context = context
        parts = ProjectSessionParts(context, loop: loop, template: profile.template)
        self.profile = profile
    }

    package func definition(_ project: Project, _ request: SessionRequest) throws -> WorkspaceDefinition {
        try checkCredentials(of: request.agent ?? profile.cli)
        var definition = try parts.definition(project, request)
        // What the repository says is not trusted with more than the operator grants.
        guard definition.pass.isEmpty else {
            throw TaskFailure(
                .setup,
                "`pass:` of workspace.yml names \(definition.pass.joined(separator: ", ")): the orchestrator does not pass its environment to agents"
            )
        }
        guard profile.allowsContainers || !definition.runsContainers else {
            throw TaskFailure(
                .setup,
                "`tools: [podman]` of workspace.yml gives the pod more of the host's kernel, which the agent profile does not allow: `allow-containers: true`"
            )
        }
        definition.resources.cpus = profile.cpus ?? definition.resources.cpus
        definition.resources.memory = profile.memory ?? definition.resources.memory
        definition.resources.disk = profile.disk ?? definition.resources.disk
        let own = definition.budget.cost
        definition.budget.cost = profile.budget.map { min($0, own ?? $0) } ?? own
        return definition
    }

    private func checkCredentials(of name: String) throws {
        let agent = try context.agent(name)
        do {
            _ = try context.credentials.credentials(of: agent)
        } catch {
            guard error.code == .unavailable else { throw error }
            let names = agent.authentication.map(\.variable).joined(separator: " or ")
            throw TaskFailure(
                .credential, "\(error.message): enter \(names) on the page Credentials, or so credentials set")
        }
    }

    package func parts(
        _ record: SessionRecord, _ project: Project, _ definition: WorkspaceDefinition, start: StartingPoint,
        events: @escaping SessionEvents
    ) async throws -> SessionParts {
        try await parts.parts(record, project, definition, start: start, events: events)
    }

    package func fingerprint(_ definition: WorkspaceDefinition) throws -> String { try parts.fingerprint(definition) }

    package func runtime() throws -> SessionRuntime { try parts.runtime() }

    package func output(of agent: String) throws -> AgentDeclaration.OutputFormat { try parts.output(of: agent) }
}
