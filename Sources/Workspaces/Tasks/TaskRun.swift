import AgentLoop
import ExternalTools

/// Runs a list of tasks in one pod: in the order of their dependencies, so many at a time.
package struct TaskRun: Sendable {
    private let list: TaskList
    private let place: TaskPlace
    private let parallel: Int

    /// - Parameter parallel: instead of the list's own number.
    package init(_ list: TaskList, in place: TaskPlace, parallel: Int? = nil) {
        self.list = list
        self.place = place
        self.parallel = parallel ?? list.parallel
    }

    /// - Returns: a result for each task, in the list's order. A task that fails keeps those that have not begun from beginning, unless it says otherwise;
    ///   those that depend on it never begin.
    package func run(_ events: @escaping @Sendable (TaskEvent) async -> Void) async throws -> [TaskResult] {
        var results: [String: TaskResult] = [:]
        var waiting = list.tasks
        var isStopped = false
        try await withThrowingTaskGroup(of: TaskResult.self) { group in
            var running = 0
            while true {
                while running < parallel, let task = Self.next(&waiting, results, isStopped) {
                    running += 1
                    group.addTask { try await attempts(task, events) }
                }
                guard running > 0, let result = try await group.next() else { break }
                running -= 1
                results[result.id] = result
                let task = list.tasks.first { $0.id == result.id }
                if result.isFailure, task?.continuesOnError == false { isStopped = true }
                await events(.ended(result))
            }
        }
        return list.tasks.map { results[$0.id] ?? TaskResult($0, .skipped) }
    }

    /// The first task that may begin now.
    private static func next(
        _ waiting: inout [AgentTask], _ results: [String: TaskResult], _ isStopped: Bool
    ) -> AgentTask? {
        guard !isStopped else { return nil }
        let found = waiting.firstIndex { $0.dependencies.allSatisfy { results[$0]?.state == .succeeded } }
        return found.map { waiting.remove(at: $0) }
    }

    private func attempts(
        _ task: AgentTask, _ events: @escaping @Sendable (TaskEvent) async -> Void
    ) async throws -> TaskResult {
        var result = TaskResult(task, .failed)
        let begin = ContinuousClock.now
        for attempt in 1...(task.retries + 1) {
            await events(.started(task, attempt: attempt))
            try await once(task, attempt, &result, events)
            result.attempts = attempt
            if result.state == .succeeded { break }
        }
        result.seconds = Double((ContinuousClock.now - begin) / .seconds(1))
        return result
    }

    private func once(
        _ task: AgentTask, _ attempt: Int, _ result: inout TaskResult,
        _ events: @escaping @Sendable (TaskEvent) async -> Void
    ) async throws {
        let gathered = TaskOutput(place.format(task))
        let process = place.process(task, attempt: attempt)
        let outcome = try await process.run { bytes in
            await gathered.add(bytes)
            await events(.output(task, bytes))
        }
        result.output = await gathered.text
        (result.exitCode, result.message) = (nil, nil)
        switch outcome {
        case .silent: result.state = .timedOut
        case .ended(let code):
            let agent = await gathered.result(code)
            result.exitCode = code
            result.message = agent?.message
            result.state = (agent?.isFailure ?? (code != 0)) ? .failed : .succeeded
        }
    }
}

/// Where tasks run, and which agent takes their prompts.
package struct TaskPlace: Sendable {
    package let pod: any PodShell
    /// The checkout or project; absolute.
    package let directory: String
    package let agent: AgentDeclaration
    /// Of the agent's session, for `${SESSION}`.
    package let session: String
    /// Apart from other runs in the same pod.
    private let run: String

    package init(pod: any PodShell, directory: String, agent: AgentDeclaration, session: String) throws {
        self.pod = pod
        self.directory = directory
        self.agent = agent
        self.session = session
        run = try SessionID.random().token
    }

    /// How the output of a prompt's agent is read; nil for a command.
    func format(_ task: AgentTask) -> AgentDeclaration.OutputFormat? {
        if case .prompt = task.work { return agent.output }
        return nil
    }

    func process(_ task: AgentTask, attempt: Int) -> TaskProcess {
        let words =
            switch task.work {
            case .command(let line): ["sh", "-c", line]
            case .prompt(let text): agent.headlessCommand(prompt: text, session: session)
            }
        return TaskProcess(
            pod: pod, mark: "\(run)-\(task.id)-\(attempt)",
            directory: task.workingDirectory.map { "\(directory)/\($0)" } ?? directory, words: words,
            environment: task.environment, silenceLimit: task.silenceLimit)
    }
}

/// What one attempt wrote: its end, and where it is an agent's, what the agent says.
private actor TaskOutput {
    private static let limit = 1 << 20
    private var bytes: [UInt8] = []
    private let format: AgentDeclaration.OutputFormat?

    init(_ format: AgentDeclaration.OutputFormat?) { self.format = format }

    func add(_ more: [UInt8]) {
        bytes += more
        if bytes.count > 2 * Self.limit { bytes = Array(bytes.suffix(Self.limit)) }
    }

    var text: String { String(decoding: bytes.suffix(Self.limit), as: UTF8.self) }

    func result(_ exitCode: Int) -> AgentResult? {
        guard let format else { return nil }
        var output = AgentOutput(format)
        for line in text.split(separator: "\n") { _ = output.read(String(line)) }
        return output.result(exitCode: exitCode)
    }
}
