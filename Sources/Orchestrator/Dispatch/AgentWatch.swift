import FoundationEssentials

/// One run of an agent: what it writes goes to the store, several pieces at a time, and from there to the forge.
struct AgentWatch: Sendable {
    let execution: TaskExecution
    let task: IssueTask

    private static let interval = Duration.milliseconds(200)

    /// What came of the run, and what is left to be written with it.
    func run() async throws -> (outcome: AgentOutcome, rest: TaskStep) {
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
                return (outcome, try await step(gathered.take()))
            }
            throw CancellationError()
        }
    }

    private func write(
        _ events: GatheredEvents.State, _ teller: AsyncStream<IssueTask>.Continuation
    ) async throws {
        let step = try await step(events)
        guard let last = events.steps.last else { return try await execution.store.append(step, of: task.id) }
        // Each is in the timeline, however fast they came; the forge is told the last.
        teller.yield(try await execution.store.update(task, with: step) { $0.currentStep = last })
    }

    /// What was used is counted at once: it is, whoever has the task now.
    private func step(_ events: GatheredEvents.State) async throws -> TaskStep {
        if let usage = events.usage, let session = task.details.session {
            try await execution.store.count(usage, in: session, of: task)
        }
        let refusals = events.refusals.map {
            Activity(task: task.id, kind: .warning, actor: "agent", message: "a report was refused: \($0)")
        }
        let steps = events.steps.map { Activity(task: task.id, kind: .progress, actor: "agent", message: $0) }
        return TaskStep(refusals + steps, output: events.output.isEmpty ? "" : events.log)
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
