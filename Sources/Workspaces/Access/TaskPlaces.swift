extension SessionService {
    /// Tasks in a session's checkout.
    package func taskPlace(_ record: SessionRecord, _ context: WorkspaceContext) throws -> TaskPlace {
        try TaskPlace(
            pod: WorkspacePod(deployment(record)), directory: checkout(record).directory,
            agent: try context.agent(record.agent), session: "\(record.id)")
    }
}

extension LastingService {
    /// Tasks in a workspace's project.
    package func taskPlace(_ record: LastingRecord) throws -> TaskPlace {
        try TaskPlace(
            pod: WorkspacePod(deployment(record)), directory: record.project,
            agent: try context.agent(record.agent), session: record.name)
    }
}
