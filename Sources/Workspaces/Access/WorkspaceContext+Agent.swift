extension WorkspaceContext {
    /// The declaration of an agent: the user's own, else the one that `so` comes with.
    ///
    /// - Throws: ``WorkspaceError``: `missing` with the nearest name, or `invalid` with every fault's place.
    package func agent(_ name: String) throws(WorkspaceError) -> AgentDeclaration {
        try AgentDeclaration.load(name, from: agentDirectories)
    }
}
