package import AgentLoop
import Deployments
package import ExternalTools
package import Runtimes

extension SessionService {
    /// Runs a shell in the checkout on the caller's terminal; returns its exit code.
    package func shell(_ record: SessionRecord, on streams: CommandStreams, term: String?) async throws -> Int {
        try await exec(record, Self.shellCommand, on: streams, tty: true, term: term)
    }

    /// bash where the image has it. No login shell: /etc/profile would take the image's own PATH away.
    static let shellCommand = ["sh", "-c", "if command -v bash >/dev/null; then exec bash; else exec sh; fi"]

    /// Copies files between this host and the checkout; returns the exit code of what copies.
    ///
    /// - Parameter path: in the pod, absolute or relative to the checkout.
    package func copy(
        _ record: SessionRecord, _ direction: CopyRequest.Direction, path: String, host: String,
        on streams: CommandStreams
    ) async throws -> Int {
        let inside = path.hasPrefix("/") ? path : "\(checkout(record).directory)/\(path)"
        let request = CopyRequest(
            service: StackPart.agentService, direction: direction, pathInService: inside, path: host)
        return try await inPods(record) { try await $0.handle.copy(request, on: streams) }
    }

    /// Leads a port of 127.0.0.1 to one of the agent's pod until the task is cancelled; returns the exit code of what leads it.
    package func forward(
        _ record: SessionRecord, hostPort: Int, port: Int, events: @escaping @Sendable (ForwardEvent) async -> Void
    ) async throws -> Int {
        guard !record.place.publishesPorts else {
            throw WorkspaceError(
                .unavailable, "on \(record.place.name) a port is led out when the pod is made",
                hint: "`ports: [\(port)]` in workspace.yml, then so session stop \(record.id), resume and url")
        }
        let request = ForwardRequest(service: StackPart.agentService, hostPort: hostPort, port: port)
        return try await inPods(record) { try await $0.handle.forward(request, events: events) }
    }

    /// Hands out what the pods of a session's stack have written: all of them, or one service.
    package func podLogs(
        _ record: SessionRecord, service: String?, follow: Bool, line: @escaping @Sendable (LogLine) async -> Void
    ) async throws {
        let request = LogRequest(services: service.map { [$0] } ?? [], follow: follow)
        try await deployment(record).logs(request, line: line)
    }
}

/// What becomes of a session's work, and who says so.
package enum ExitDecision: Hashable, Sendable {
    case decided(ExitPolicy)
    /// It is decided, and this is why it is not what was asked for.
    case instead(ExitPolicy, reason: String)
    /// Somebody is to be asked.
    case ask

    /// The flag goes before the definition, which goes before a question; what is not asked is kept.
    ///
    /// - Parameters:
    ///   - wanted: of the flag or the definition.
    ///   - canAsk: whether somebody sits at a terminal.
    ///   - hasWork: whether the session changed anything.
    package init(_ wanted: ExitPolicy?, result: AgentResult?, canAsk: Bool, hasWork: Bool) {
        switch wanted {
        case .merge where result?.isFailure == true:
            self = .instead(.keep, reason: "the agent failed, so that its work is not merged")
        case let wanted?: self = .decided(wanted)
        case nil: self = canAsk && hasWork ? .ask : .decided(.keep)
        }
    }
}

extension AgentResult {
    /// Whether the agent did not do what it was asked: it says so, or it says nothing that can be read and its exit code is not 0.
    package var isFailure: Bool { succeeded.map { !$0 } ?? (exitCode != 0) }
}
