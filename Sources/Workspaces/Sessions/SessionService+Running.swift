import Deployments
package import ExternalTools
import FoundationEssentials
import Runtimes

/// How a session stands now: its record, and what its pods say.
package struct SessionStatus: Sendable {
    package enum Condition: String, Sendable, CaseIterable {
        /// A command brings it up or takes it down.
        case changing
        case running
        /// It waits in its project's pool.
        case pooled
        /// The agent has ended, and its work waits to be brought home.
        case ended
        case stopped
        /// A command that was killed left it so; the next command goes on from there.
        case interrupted
        case closed
        /// Its runtime does not say.
        case unknown
    }

    package var record: SessionRecord
    package var condition: Condition
    /// Why it is not known how it stands.
    package var reason: String?
}

extension SessionService {
    /// How a session stands; asks its runtime.
    package func status(_ record: SessionRecord) async throws -> SessionStatus {
        switch record.state {
        case .closed: return SessionStatus(record: record, condition: .closed)
        case .created, .cloning, .starting, .resuming, .stopping, .collecting, .finishing:
            return SessionStatus(record: record, condition: store.isLocked(record.id) ? .changing : .interrupted)
        case .stopped: return SessionStatus(record: record, condition: .stopped)
        case .pooled: return SessionStatus(record: record, condition: .pooled)
        case .running: return try await runningStatus(record)
        }
    }

    private func runningStatus(_ record: SessionRecord) async throws -> SessionStatus {
        let agent = try await agentPod(record)
        guard agent?.state == .running else {
            let why = "its pod reached more than its egress, and was ended for that"
            return SessionStatus(
                record: record, condition: .stopped, reason: agent?.exitCode == PodWatch.isOpen ? why : nil)
        }
        return SessionStatus(
            record: record, condition: try await agentExit(record) == nil ? .running : .ended)
    }

    private func agentPod(_ record: SessionRecord) async throws -> PodStatus? {
        try await deployment(record).status().first { $0.service == StackPart.agentService }
    }

    /// Whether the agent's pod runs.
    func isUp(_ record: SessionRecord) async throws -> Bool { try await agentPod(record)?.state == .running }

    /// The exit code of the agent, as its pod tells it; nil while it runs.
    func agentExit(_ record: SessionRecord) async throws -> Int? {
        let pod = WorkspacePod(try deployment(record))
        // The agent could leave a pipe there, or a file without an end. One that its pod took along begins again with the next pod, where there is one.
        let script = "[ ! -e \"$2\" ] && [ -f \"$1\" ] && head -c 64 \"$1\""
        let stopping = record.place.restartsPods ? "\(PodPaths.run)/stopping" : ""
        let output = try await pod.capture(
            ["sh", "-c", script, "so-exit", "\(PodPaths.run)/exit", stopping], limit: 4096, silence: .seconds(60),
            what: "how the agent ended")
        return output.status == 0 ? Int(output.text) : nil
    }

    /// Shows the agent's terminal on the caller's, until the agent ends or the user leaves it at work; returns whether it has ended.
    package func attach(_ record: SessionRecord, on streams: CommandStreams, term: String?) async throws -> Bool {
        guard record.prompt == nil else {
            throw WorkspaceError(
                .failed, "session \(record.id) has no terminal: it works on its prompt",
                hint: "so session logs --follow \(record.id)")
        }
        let script = "exec tmux -L \(RunScript.socket) attach-session -t agent"
        var request = ExecRequest(
            service: StackPart.agentService, command: ["sh", "-c", script], interactive: true, tty: true)
        request.environment = ["TERM=\(Self.known(term))"]
        _ = try await inPods(record) { try await $0.handle.exec(request, on: streams) }
        return try await agentExit(record) != nil
    }

    /// A terminal that the pod's library of terminals has.
    static func known(_ term: String?) -> String {
        let plain = ["xterm", "xterm-256color", "screen", "screen-256color", "tmux", "tmux-256color", "linux", "vt100"]
        return term.flatMap { plain.contains($0) ? $0 : nil } ?? "xterm-256color"
    }

    /// Runs a command in the checkout on the caller's streams; returns its exit code.
    package func exec(
        _ record: SessionRecord, _ command: [String], on streams: CommandStreams, tty: Bool, term: String? = nil
    ) async throws -> Int {
        var request = ExecRequest(service: StackPart.agentService, command: [], interactive: true, tty: tty)
        request.command = command
        request.workingDirectory = checkout(record).directory
        if tty { request.environment = ["TERM=\(Self.known(term))"] }
        return try await inPods(record) { try await $0.handle.exec(request, on: streams) }
    }

    /// Does what needs a session's pods, and says how the session stands where they do not run.
    func inPods<Value>(_ record: SessionRecord, _ body: (OpenDeployment) async throws -> Value) async throws -> Value {
        try refuseClosed(record)
        do {
            return try await body(try deployment(record))
        } catch let error as DeploymentError where error.code == .failed {
            guard let isUp = try? await isUp(record), !isUp else { throw error }
            throw WorkspaceError(
                .failed, "session \(record.id) does not run", hint: "start it: so session resume \(record.id)")
        }
    }

    func refuseClosed(_ record: SessionRecord) throws(WorkspaceError) {
        guard record.state == .closed else { return }
        throw WorkspaceError(
            .failed, "session \(record.id) is over", hint: "its work is at \(record.id.references)")
    }

    /// Hands out what the agent of a session without a terminal wrote, from an offset in bytes on; with `follow` until it ends.
    package func log(
        _ record: SessionRecord, from offset: Int = 0, follow: Bool,
        _ body: @escaping @Sendable ([UInt8]) async throws -> Void
    ) async throws {
        if [.closed, .stopped].contains(record.state) {
            let kept = try Files.readIfPresent(store.logFile(record.id), limit: .max)
            if let kept { return try await body(Array(kept.dropFirst(offset))) }
            if record.state == .closed { return }
        }
        let pod = WorkspacePod(try deployment(record))
        let status = try await pod.stream(Self.logCommand(record, offset, follow: follow), input: []) {
            stream, bytes throws(CommandFailure) in
            guard stream == .standardOutput else { return }
            do { try await body(bytes) } catch { throw CommandFailure(.cancelled, command: "logs") }
        }
        guard status == 0 else {
            throw WorkspaceError(
                .failed, "the log of session \(record.id) cannot be read", hint: "check its state with so session ls")
        }
    }

    /// `tail` ends with what runs the agent and writes down its end: nothing of it stays behind in the pod.
    private static func logCommand(_ record: SessionRecord, _ offset: Int, follow: Bool) -> [String] {
        guard record.prompt != nil else {
            return ["tmux", "-L", RunScript.socket, "capture-pane", "-p", "-S", "-", "-t", "agent"]
        }
        let script = """
            log=$1 run=$2
            pid=
            [ ! -f "$run/runner" ] || pid=$(head -c 20 "$run/runner")
            [ -f "$log" ] || exit 0
            if [ "$4" = follow ] && [ ! -e "$run/exit" ] && [ -n "$pid" ]; then
                exec tail -c +"$3" -s 0.1 -f --pid="$pid" "$log"
            fi
            exec tail -c +"$3" "$log"
            """
        return ["sh", "-c", script, "so-log", PodPaths.log, PodPaths.run, "\(offset + 1)", follow ? "follow" : "once"]
    }

    /// The most that is kept of a log, in bytes: its end.
    private static let keptLog = 16 << 20

    /// The end of what the agent has written so far: it may have given its log any size.
    func logEnd(_ record: SessionRecord) async throws -> [UInt8] {
        let headless = [
            "sh", "-c", "[ ! -f \"$1\" ] || exec tail -c \(Self.keptLog) \"$1\"", "so-log", PodPaths.log,
        ]
        let command = record.prompt == nil ? Self.logCommand(record, 0, follow: false) : headless
        let kept = KeptLog(limit: Self.keptLog)
        let pod = WorkspacePod(try deployment(record))
        _ = try await pod.stream(command, silence: .seconds(60), what: "the agent's log") {
            stream, bytes throws(CommandFailure) in
            if stream == .standardOutput { await kept.add(bytes) }
        }
        return await kept.bytes
    }

    /// Keeps what the agent has written, for when its pod is gone. A terminal shows what it has shown since the pod's start: it is added to what was
    /// kept before.
    func keepLog(_ record: SessionRecord) async {
        do {
            let before =
                record.prompt == nil ? try Files.readIfPresent(store.logFile(record.id), limit: .max) ?? [] : []
            let bytes = Array((before + (try await logEnd(record))).suffix(Self.keptLog))
            if !bytes.isEmpty { try Files.write(bytes, to: store.logFile(record.id), mode: 0o600) }
        } catch {
            // The log of an agent that never began, or of a pod that is gone: what was kept stays.
        }
    }

    /// Stops the pods; the volumes, and with them the work, stay.
    package func stop(_ record: SessionRecord) async throws -> SessionRecord {
        let lock = try await store.lock(record.id, verb: "stop")
        var record = try store.read(record.id)
        try refuseClosed(record)
        await keepEgress(&record)
        await keepLog(record)
        // What was being made or brought home is gone on with from there.
        if [.starting, .running, .resuming, .pooled].contains(record.state) { try advance(&record, to: .stopping) }
        try await deployment(record).stop()
        if record.state == .stopping { try advance(&record, to: .stopped) }
        _ = consume lock
        return record
    }

    /// Brings the pods of a session that does not run back up; its agent continues where it was, if it can.
    package func resume(
        _ record: SessionRecord, events: @escaping SessionEvents = { _ in }
    ) async throws -> SessionRecord {
        let lock = try await store.lock(record.id, verb: "resume")
        var record = try store.read(record.id)
        try refuseClosed(record)
        var request = SessionRequest(directory: record.project)
        (request.agent, request.onExit, request.prompt) = (record.agent, record.onExit, record.prompt)
        let project = try Project(record.project)
        let definition = try finder.definition(project, request)
        let isUp = try await isUp(record)
        if !isUp { try await warnOfLostWork(record, events) }
        if !record.place.mountsHost, !isUp { record.generation = try SessionAddresses.randomToken() }
        try await choosePlaces(&record, definition, isUp: isUp)
        let parts = try await finder.parts(record, project, definition, start: record.startingPoint, events: events)
        record.take(parts)
        let identity = try await repository(at: record.project).identity()
        try advance(&record, to: .resuming)
        do {
            try await up(&record, project, parts, identity: identity, events)
        } catch {
            await layDown(record)
            throw error
        }
        try advance(&record, to: .running)
        _ = consume lock
        return record
    }

    /// Stops what a resume has brought up before it failed: its work waits in its volumes, as before. In a task of its own: a resume that was cancelled
    /// has to be taken back too.
    func layDown(_ record: SessionRecord) async {
        await Task {
            do {
                try await stopPods(record)
                var record = record
                try advance(&record, to: .stopped)
            } catch {
                // The record says `resuming`, and the next command takes it up from there.
            }
        }.value
    }

    /// Ends the pods at once, and keeps the volumes.
    func stopPods(_ record: SessionRecord) async throws {
        var options = StopOptions()
        options.graceSeconds = 2
        try await deployment(record).stop(options)
    }

    /// Stops a session that has been idle for as long as its definition says, or whose pod has ended because of that; returns whether it did.
    func stopIdle(_ record: SessionRecord) async throws -> Bool {
        guard record.state == .running, let limit = record.idleTimeout else { return false }
        if try await isUp(record), try await !isIdle(record, limit) { return false }
        _ = try await stop(record)
        return true
    }

    private func isIdle(_ record: SessionRecord, _ limit: Int) async throws -> Bool {
        let script = """
            if [ -e "$2" ]; then echo idle; exit; fi
            [ -f "$1" ] || exit
            ended=$(stat -c %Y "$1")
            # An agent may have ended long before its start has.
            up=$(stat -c %Y "$3" 2>/dev/null) && [ "$up" -gt "$ended" ] && ended=$up
            echo $(($(date +%s) - ended))
            """
        let answer = try await WorkspacePod(deployment(record)).capture(
            ["sh", "-c", script, "so-idle", "\(PodPaths.run)/exit", PodWatch.idleMark, PodWatch.upMark], limit: 4096,
            silence: .seconds(60), what: "whether anybody works in it")
        return answer.text == "idle" || Int(answer.text).map { $0 >= limit } ?? false
    }

    /// A session whose volume somebody deleted starts over, and that is not to look like going on.
    private func warnOfLostWork(_ record: SessionRecord, _ events: @escaping SessionEvents) async throws {
        guard [.running, .resuming, .stopping, .stopped].contains(record.state) else { return }
        guard try await !deployment(record).volumes().contains(where: { $0.hasSuffix("work") }) else { return }
        events(
            .note(
                "the volume with the checkout of session \(record.id) is gone: it starts over, and what was not brought home is lost"
            ))
    }
}

/// The end of what comes.
private actor KeptLog {
    private let limit: Int
    private(set) var bytes: [UInt8] = []

    init(limit: Int) { self.limit = limit }

    func add(_ more: [UInt8]) { bytes = Array((bytes + more).suffix(limit)) }
}
