import AgentLoop

extension AgentRun {
    /// Where the loop finds what it is told.
    static let loopFile = "\(PodPaths.home)/.so-agent.json"

    /// Runs the agent's CLI in the loop of `so-agent`: the session's prompt is the text of a tasking.yaml.
    mutating func enterLoop(_ agent: AgentDeclaration, _ record: SessionRecord, timeLimit: Int) throws {
        let session = "\(record.id)"
        let words = agent.headlessCommand(prompt: "${PROMPT}", arguments: record.arguments, session: session)
        var configuration = LoopConfiguration(
            agentType: agent.name, agentID: session, directory: PodPaths.checkout(record.projectName), headless: words,
            output: agent.output, session: session)
        configuration.timeLimit = timeLimit
        if let own = agent.loop {
            (configuration.tasking, configuration.reporting) = (own.tasking, own.reporting)
            configuration.reportsItself = true
        }
        if agent.commands.headlessResume != nil {
            configuration.headlessResume = agent.headlessCommand(
                prompt: "${PROMPT}", arguments: record.arguments, session: session, resuming: true)
        }
        files[Self.loopFile] = try configuration.encoded()
        headless = ["so-agent", "run", Self.loopFile, "--tasking", record.prompt ?? ""]
        headlessResume = headless
    }
}
