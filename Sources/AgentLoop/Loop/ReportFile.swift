import Egress
import FoundationEssentials
import OrderedCollections

/// Keeps reporting.yaml: every change is in it within a fifth of a second, and many at once are written once.
actor ReportFile {
    private(set) var report: Reporting
    private var finished: Set<String> = []
    private let path: String
    private let changed: AsyncStream<Void>.Continuation
    private let changes: AsyncStream<Void>

    /// No more than the last of them are kept.
    private static let progressLimit = 200
    private static let messageLimit = 500

    /// Goes on with the report that is there, where it is one.
    init(_ configuration: LoopConfiguration) {
        path = "\(configuration.directory)/\(configuration.reporting)"
        let known = (try? AtomicFile.read(path, limit: YAMLSize.limit)).flatMap { $0 }
        report =
            known.flatMap { try? Reporting($0, file: configuration.reporting) }
            ?? Reporting(
                agentType: configuration.agentType, agentID: configuration.agentID, updatedAt: timestamp())
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether a task has come to its end, in this run or in any.
    func isFinished(_ id: String, inThisRun: Bool) -> Bool {
        inThisRun ? finished.contains(id) : report.tasks[id]?.status.isFinal ?? false
    }

    /// Whether the CLI has been at work here before.
    var hasBegun: Bool { !report.tasks.isEmpty }

    func set(_ status: Reporting.AgentStatus) throws {
        report.status = status
        try write()
    }

    func begin(_ id: String) throws {
        report.status = .working
        report.tasks[id] = Reporting.TaskReport()
        try write()
    }

    /// What the agent does now.
    func note(_ id: String, _ message: String) {
        let line = String(message.split(whereSeparator: \.isNewline).joined(separator: " ").prefix(Self.messageLimit))
        guard !line.isEmpty, report.tasks[id] != nil else { return }
        report.tasks[id]?.currentStep = line
        let entry = Reporting.Progress(timestamp: timestamp(), status: .working, message: line)
        let all = (report.tasks[id]?.progress ?? []) + [entry]
        report.tasks[id]?.progress = Array(all.suffix(Self.progressLimit))
        changed.yield()
    }

    func test(_ id: String, _ command: String) {
        let known = report.tasks[id]?.tests ?? []
        let line = String(command.prefix(Self.messageLimit))
        if known.count < 20, !known.contains(line) { report.tasks[id]?.tests = known + [line] }
    }

    func end(_ id: String, _ change: @Sendable (inout Reporting.TaskReport) -> Void) throws {
        var task = report.tasks[id] ?? Reporting.TaskReport()
        change(&task)
        task.currentStep = nil
        finished.insert(id)
        report.tasks[id] = task
        try write()
    }

    /// Writes what was noted, until it is cancelled.
    func writeNotes() async {
        for await _ in changes {
            try? write()
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    private func write() throws {
        report.updatedAt = timestamp()
        try AtomicFile.write(try report.yaml(), to: path)
    }
}

enum YAMLSize { static let limit = 1 << 20 }

func timestamp() -> String { Date().formatted(.iso8601) }
