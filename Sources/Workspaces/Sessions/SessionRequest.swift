import AgentLoop

/// What a session is asked to be.
package struct SessionRequest: Sendable {
    /// Where the user stands, or the project.
    package var directory: String
    /// Where the session begins; nil: where the project's HEAD is. What it is, its definition says, as it is in the work tree.
    package var commit: String?
    /// Nil: the definition's.
    package var agent: String?
    /// Nil: the definition's; asked for at the end where that says nothing.
    package var onExit: ExitPolicy?
    /// The instruction of a session without a terminal.
    package var prompt: String?
    /// Handed to the agent's CLI.
    package var arguments: [String] = []
    /// Where it runs; nil: as the settings say.
    package var runtime: SessionRuntime?

    package init(directory: String) { self.directory = directory }
}

/// Everything of a session that others decide: its definition, image, agent and egress.
package struct SessionParts: Sendable {
    package var definition: WorkspaceDefinition
    package var image: String
    package var agent: AgentRun
    /// Egress and companions.
    package var part: StackPart
    /// Values of the host's environment that become secrets of the pod, by name.
    package var passed: [String: String]

    package init(
        definition: WorkspaceDefinition, image: String, agent: AgentRun, part: StackPart = StackPart(),
        passed: [String: String] = [:]
    ) {
        self.definition = definition
        self.image = image
        self.agent = agent
        self.part = part
        self.passed = passed
    }
}

/// Finds the parts of a session. Everything that can be wrong is found here, before anything is made.
package protocol SessionPartsFinder: Sendable {
    /// The definition of a project, with what the request says put over it.
    func definition(_ project: Project, _ request: SessionRequest) throws -> WorkspaceDefinition
    /// The image's tag, the agent's run, egress and companions; builds the image where it is not there yet. Called again when a session is
    /// resumed: it is to say the same then.
    func parts(
        _ record: SessionRecord, _ project: Project, _ definition: WorkspaceDefinition, start: StartingPoint,
        events: @escaping SessionEvents
    ) async throws -> SessionParts
    /// Of what goes into a pod besides the definition, such as a credential: pods of a pool that were made with another one are not used.
    func fingerprint(_ definition: WorkspaceDefinition) throws -> String
    /// How what an agent prints without a terminal is read.
    func output(of agent: String) throws -> AgentDeclaration.OutputFormat
    /// Where sessions run that say nothing of it.
    func runtime() throws -> SessionRuntime
}

extension SessionPartsFinder {
    package func runtime() throws -> SessionRuntime { SessionRuntime() }
}
