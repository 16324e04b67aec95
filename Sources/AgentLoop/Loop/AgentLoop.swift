import Egress
import ExternalTools
import FoundationEssentials

/// The loop in an agent's pod: reads tasking.yaml, runs the CLI on each task, commits what it left, and writes reporting.yaml.
package struct AgentLoop: Sendable {
    private let configuration: LoopConfiguration
    /// The environment of the pod, which the CLI and git inherit.
    private let environment: [String: String]
    /// Gets every line that the CLI prints.
    private let output: @Sendable (String) -> Void
    /// Whether the tasks were handed over for this run: what an earlier run has finished is done again.
    private var isAssigned = false

    package init(
        _ configuration: LoopConfiguration, environment: [String: String],
        output: @escaping @Sendable (String) -> Void
    ) {
        self.configuration = configuration
        self.environment = environment
        self.output = output
    }

    private var taskingPath: String { "\(configuration.directory)/\(configuration.tasking)" }

    /// Puts a tasking.yaml in place that came another way than through the file itself: all that is pending in it is worked on.
    package mutating func assign(_ text: String) throws {
        isAssigned = true
        let folder = String(taskingPath.prefix(upTo: taskingPath.lastIndex(of: "/") ?? taskingPath.endIndex))
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try AtomicFile.write(Array(text.utf8), to: taskingPath)
    }

    /// Works until all tasks are done, or for ever where it waits for more. A cancelled loop ends the CLI and leaves a report of what there is.
    ///
    /// - Returns: whether every task of this run succeeded.
    @discardableResult
    package func run() async throws -> Bool {
        if configuration.reportsItself == true { return try await runReporter() }
        let report = ReportFile(configuration)
        let folder = String(taskingPath.prefix(upTo: taskingPath.lastIndex(of: "/") ?? taskingPath.endIndex))
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // Watched before it is read: what is written in between is seen.
        let changes = try DirectoryChanges.stream(of: folder)
        var isGood = try await workOff(report)
        guard configuration.waits else { return try await end(report, isGood) }
        for await _ in changes { isGood = try await workOff(report) && isGood }
        return try await end(report, isGood)
    }

    private func end(_ report: ReportFile, _ isGood: Bool) async throws -> Bool {
        try await report.set(.ended)
        return isGood
    }

    private func workOff(_ report: ReportFile) async throws -> Bool {
        var isGood = true
        while let item = try await nextItem(report) {
            isGood = try await work(on: item, report) && isGood
            try await report.set(.idle)
        }
        return isGood
    }

    /// Nil: there is nothing to do. A file that is not a tasking.yaml is said so, and waited for.
    private func nextItem(_ report: ReportFile) async throws -> Tasking.Item? {
        guard let bytes = try AtomicFile.read(taskingPath, limit: YAMLSize.limit) else { return nil }
        let tasking: Tasking
        do {
            tasking = try Tasking(bytes, file: configuration.tasking)
        } catch {
            output("so-agent: \(error)")
            return nil
        }
        for item in tasking.tasks where item.status == .pending {
            // One that was at work when the pod ended is begun again.
            if await report.isFinished(item.id, inThisRun: isAssigned) { continue }
            return item
        }
        return nil
    }

    // MARK: An agent with a loop of its own

    /// Runs the CLI once, and commits what it left; reporting.yaml is its own.
    private func runReporter() async throws -> Bool {
        guard let bytes = try AtomicFile.read(taskingPath, limit: YAMLSize.limit) else { return true }
        guard let item = try Tasking(bytes, file: configuration.tasking).tasks.first(where: { $0.status == .pending })
        else { return true }
        let tree = WorkTree(configuration: configuration, host: environment)
        let status = try await withDeadline(.seconds(configuration.timeLimit)) { try await runOnce(item) }
        if status == nil { output("so-agent: the time limit of \(configuration.timeLimit) s is over") }
        try await tree.commitRest(title(of: item))
        return status == 0
    }

    private func runOnce(_ item: Tasking.Item) async throws -> Int {
        let prompt = Prompt.text(item, directory: configuration.directory, resumes: false, fence: Prompt.fence())
        let words = configuration.command(prompt, resumes: false)
        var command = Command(words.first ?? "", Array(words.dropFirst()), host: environment)
        command.workingDirectory = configuration.directory
        do {
            return try await command.lines { _, line in output(line) }
        } catch {
            if error.code == .cancelled { throw CancellationError() }
            output("so-agent: \(error)")
            return 127
        }
    }

    /// The message of a commit.
    private func title(of item: Tasking.Item) -> String {
        let title = item.title.split(whereSeparator: \.isNewline).first.map { String($0.prefix(72)) } ?? ""
        return title.isEmpty ? item.id : title
    }

    // MARK: One task

    private func work(on item: Tasking.Item, _ report: ReportFile) async throws -> Bool {
        let resumes = await report.hasBegun
        try await report.begin(item.id)
        do {
            return try await work(on: item, report, resumes: resumes)
        } catch let error as CommandFailure where error.code != .cancelled {
            try await report.end(item.id) { Ended(status: .failed, message: error.description).write(to: &$0) }
            return false
        }
    }

    private func work(on item: Tasking.Item, _ report: ReportFile, resumes: Bool) async throws -> Bool {
        let tree = WorkTree(configuration: configuration, host: environment)
        let base = try await tree.head()
        let ended = try await runWatched(item, report, resumes: resumes)
        try await tree.commitRest(title(of: item))
        let (commits, files) = (try await tree.commits(since: base), try await tree.files(since: base))
        try await report.end(item.id) { task in
            task.commits = commits
            task.filesModified = files
            ended.write(to: &task)
        }
        return ended.status == .completed
    }

    /// How a run came to its end.
    private struct Ended: Sendable {
        var status: Reporting.TaskStatus
        var message: String?
        var usage: TokenUsage?

        func write(to task: inout Reporting.TaskReport) {
            task.status = status
            let text = message.map { String($0.prefix(20_000)) }
            if status == .completed { task.summary = text } else { task.error = text ?? "the agent failed" }
            task.usage = usage.map(Reporting.Usage.init)
        }
    }

    /// Ends the CLI when its time is over, or its task is cancelled in tasking.yaml.
    private func runWatched(_ item: Tasking.Item, _ report: ReportFile, resumes: Bool) async throws -> Ended {
        let limit = configuration.timeLimit
        return try await withThrowingTaskGroup(of: Ended?.self) { group in
            group.addTask { try await runCLI(item, report, resumes: resumes) }
            group.addTask {
                try await Task.sleep(for: .seconds(limit))
                return Ended(status: .failed, message: "the time limit of \(limit) s is over")
            }
            group.addTask { try await cancellation(of: item) }
            group.addTask {
                await report.writeNotes()
                return nil
            }
            defer { group.cancelAll() }
            while let ended = try await group.next() {
                if let ended { return ended }
            }
            return Ended(status: .failed)
        }
    }

    /// Nil where nobody can tell any more.
    private func cancellation(of item: Tasking.Item) async throws -> Ended? {
        let folder = String(taskingPath.prefix(upTo: taskingPath.lastIndex(of: "/") ?? taskingPath.endIndex))
        for await _ in try DirectoryChanges.stream(of: folder) where try isCancelled(item.id) {
            return Ended(status: .cancelled, message: "it was stopped")
        }
        return nil
    }

    private func isCancelled(_ id: String) throws -> Bool {
        guard let bytes = try AtomicFile.read(taskingPath, limit: YAMLSize.limit),
            let tasking = try? Tasking(bytes, file: configuration.tasking)
        else { return false }
        return tasking.tasks.contains { $0.id == id && $0.status == .cancelled }
    }

    private func runCLI(_ item: Tasking.Item, _ report: ReportFile, resumes: Bool) async throws -> Ended {
        let prompt = Prompt.text(
            item, directory: configuration.directory, resumes: resumes, fence: Prompt.fence())
        let words = configuration.command(prompt, resumes: resumes)
        var command = Command(words.first ?? "", Array(words.dropFirst()), host: environment)
        command.workingDirectory = configuration.directory
        let reader = OutputReader(configuration.output)
        let output = output
        do {
            let status = try await command.lines { _, line in
                output(line)
                for event in await reader.read(line) { await Self.tell(event, item.id, report) }
            }
            return await ended(reader, status)
        } catch {
            if error.code == .cancelled { throw CancellationError() }
            return Ended(status: .failed, message: error.description)
        }
    }

    private static func tell(_ event: AgentEvent, _ id: String, _ report: ReportFile) async {
        switch event {
        case .text(let text): await report.note(id, text)
        case .tool(let name, let detail):
            await report.note(id, detail.isEmpty ? name : "\(name): \(detail)")
            if isTest(detail) { await report.test(id, detail) }
        case .problem(let text): await report.note(id, "problem: \(text)")
        case .started, .ended: break
        }
    }

    /// Words of commands that run tests in the usual languages.
    private static func isTest(_ command: String) -> Bool {
        let words = command.split { !$0.isLetter && $0 != "-" && $0 != "_" }.map { $0.lowercased() }
        return words.contains {
            ["test", "tests", "pytest", "unittest", "jest", "vitest", "phpunit", "rspec", "ctest", "tox", "check"]
                .contains($0)
        }
    }

    private func ended(_ reader: OutputReader, _ exitCode: Int) async -> Ended {
        let (result, usage) = await reader.result(exitCode)
        // A CLI whose output says nothing is judged by its exit code, and by what it changed.
        let succeeded = result.succeeded ?? (exitCode == 0)
        return Ended(status: succeeded ? .completed : .failed, message: result.message, usage: usage)
    }
}

/// Reads the CLI's output, line by line.
private actor OutputReader {
    private var output: AgentOutput
    private var usage: TokenUsage?

    init(_ format: AgentOutputFormat) { output = AgentOutput(format) }

    func read(_ line: String) -> [AgentEvent] {
        let events = output.read(line)
        for case .ended(let end) in events { usage = end.usage ?? usage }
        return events
    }

    func result(_ exitCode: Int) -> (AgentResult, TokenUsage?) { (output.result(exitCode: exitCode), usage) }
}
