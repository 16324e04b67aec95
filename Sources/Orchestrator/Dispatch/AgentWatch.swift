import FoundationEssentials

/// One run of an agent: what it writes goes to the store, several pieces at a time, and from there to the forge.
struct AgentWatch: Sendable {
    let execution: TaskExecution
    let task: IssueTask

    private static let interval = Duration.milliseconds(200)

    func run() async throws -> AgentOutcome {
        let gathered = GatheredEvents()
        return try await withThrowingTaskGroup(of: AgentOutcome?.self) { group in
            let (latest, teller) = AsyncStream.makeStream(of: IssueTask.self, bufferingPolicy: .bufferingNewest(1))
            group.addTask {
                try await execution.runner.run(task) { event in gathered.add(event) }
            }
            group.addTask {
                for await _ in gathered.signal {
                    try await Task.sleep(for: Self.interval)
                    let events = gathered.take()
                    // What was taken is written, also where the run ends meanwhile.
                    try await Task { try await write(events, teller) }.value
                }
                return nil
            }
            group.addTask {
                for await task in latest { await tell(task) }
                return nil
            }
            teller.yield(task)
            while let result = try await group.next() {
                guard let outcome = result else { continue }
                group.cancelAll()
                while await group.nextResult() != nil {}
                try await write(gathered.take(), teller)
                return outcome
            }
            throw CancellationError()
        }
    }

    private func write(
        _ events: GatheredEvents.State, _ teller: AsyncStream<IssueTask>.Continuation
    ) async throws {
        let store = execution.store
        if !events.output.isEmpty { try await store.append(output: events.log, of: task.id) }
        for reason in events.refusals {
            try await store.append(
                Activity(task: task.id, kind: .warning, actor: "agent", message: "a report was refused: \(reason)"))
        }
        if let usage = events.usage, let session = task.details.session {
            try await store.count(usage, in: session, of: task)
        }
        // Each is in the timeline, however fast they came; the forge is told the last.
        let steps = events.steps.map { Activity(task: task.id, kind: .progress, actor: "agent", message: $0) }
        for step in steps.dropLast() { try await store.append(step) }
        guard let last = steps.last else { return }
        teller.yield(try await store.update(task, activity: last) { $0.currentStep = last.message })
    }

    /// That the forge cannot be told must not end the agent's work.
    private func tell(_ task: IssueTask) async {
        do {
            try await execution.reporter.progress(task)
        } catch is CancellationError {
        } catch {
            execution.settings.log("the progress of task \(task.id) cannot be reported: \(error)")
        }
    }
}
