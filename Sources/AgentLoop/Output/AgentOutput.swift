import Egress
import FoundationEssentials

/// Reads the standard output of a headless run, line by line. What it prints is not trusted: a line that cannot be read is text.
package struct AgentOutput: Sendable {
    private let format: AgentOutputFormat
    private var last: String?
    private var problem: String?
    private var end: AgentEnd?

    package init(_ format: AgentOutputFormat) { self.format = format }

    package mutating func read(_ line: String) -> [AgentEvent] {
        guard format != .text, let value = try? JSONDecoder().decode(Line.self, from: Data(line.utf8)) else {
            let isEmpty = line.allSatisfy(\.isWhitespace)
            if !isEmpty { last = line }
            return isEmpty ? [] : [.text(line)]
        }
        let events =
            switch format {
            case .claude: claude(value)
            case .codex: codex(value)
            case .vibe, .text: vibe(value)
            }
        for event in events { note(event) }
        return events
    }

    private mutating func note(_ event: AgentEvent) {
        switch event {
        case .text(let text): last = text
        case .problem(let text): problem = text
        case .ended(let end): self.end = end
        case .started, .tool: break
        }
    }

    /// How the run ended: by its result event, and where there is none by what it left.
    /// Whether it has told itself how it ended, or what went wrong.
    package var tellsEnd: Bool { end != nil || problem != nil }

    package func result(exitCode: Int) -> AgentResult {
        if let end {
            // A result that says success does not outweigh a process that failed.
            return AgentResult(
                exitCode: exitCode, succeeded: end.succeeded && exitCode == 0, message: end.message ?? last)
        }
        let hasEvents = format != .text
        return AgentResult(
            exitCode: exitCode, succeeded: exitCode != 0 || hasEvents ? false : nil,
            message: problem ?? last ?? (hasEvents ? "it ended without a result" : nil))
    }

    private func claude(_ line: Line) -> [AgentEvent] {
        switch line.type {
        case "system" where line.subtype == "init": line.session_id.map { [.started(session: $0)] } ?? []
        case "assistant": line.message?.content?.compactMap { $0.event } ?? []
        case "result":
            [
                .ended(
                    AgentEnd(
                        succeeded: line.is_error == false && line.subtype == "success",
                        message: line.result ?? line.errors?.first ?? line.subtype, usage: line.usage?.tokens,
                        providerStatus: line.api_error_status))
            ]
        default: []
        }
    }

    private func codex(_ line: Line) -> [AgentEvent] {
        switch line.type {
        case "thread.started": line.thread_id.map { [.started(session: $0)] } ?? []
        case "item.completed": line.item?.event.map { [$0] } ?? []
        case "error": [.problem(line.messageText ?? "error")]
        case "turn.failed": [.ended(AgentEnd(succeeded: false, message: line.error?.message))]
        case "turn.completed": [.ended(AgentEnd(succeeded: true, message: last, usage: line.usage?.tokens))]
        default: []
        }
    }

    private func vibe(_ line: Line) -> [AgentEvent] {
        line.role == "assistant" ? line.contentText.map { [.text($0)] } ?? [] : []
    }
}

/// What of the CLIs' lines is read; the names are theirs. A field of another type than expected is as good as absent.
private struct Line: Decodable {
    var type: String?
    var subtype: String?
    var session_id: String?
    var thread_id: String?
    var role: String?
    var message: Message?
    var messageText: String?
    var contentText: String?
    var item: Item?
    var error: Failure?
    var errors: [String]?
    var usage: Usage?
    var is_error: Bool?
    var result: String?
    var api_error_status: Int?

    enum CodingKeys: CodingKey {
        case type, subtype, session_id, thread_id, role, message, content, item, error, errors, usage, is_error, result,
            api_error_status
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ type: Value.Type, _ key: CodingKeys) -> Value? {
            try? values.decode(type, forKey: key)
        }
        type = read(String.self, .type)
        subtype = read(String.self, .subtype)
        session_id = read(String.self, .session_id)
        thread_id = read(String.self, .thread_id)
        role = read(String.self, .role)
        message = read(Message.self, .message)
        messageText = read(String.self, .message)
        contentText = read(String.self, .content)
        item = read(Item.self, .item)
        error = read(Failure.self, .error)
        errors = read([String].self, .errors)
        usage = read(Usage.self, .usage)
        is_error = read(Bool.self, .is_error)
        result = read(String.self, .result)
        api_error_status = read(Int.self, .api_error_status)
    }

    struct Failure: Decodable { var message: String? }

    struct Message: Decodable { var content: [Content]? }

    struct Content: Decodable {
        var type: String
        var text: String?
        var name: String?
        var input: Input?

        var event: AgentEvent? {
            switch type {
            case "text": text.map { .text($0) }
            case "tool_use": .tool(name: name ?? "tool", detail: input?.detail ?? "")
            default: nil
            }
        }
    }

    struct Input: Decodable {
        var command: String?
        var file_path: String?
        var pattern: String?
        var description: String?

        var detail: String? { command ?? file_path ?? pattern ?? description }
    }

    struct Item: Decodable {
        var type: String?
        var text: String?
        var message: String?
        var command: String?

        var event: AgentEvent? {
            switch type {
            case "agent_message": text.map { .text($0) }
            case "command_execution": .tool(name: "command", detail: command ?? "")
            case "file_change": .tool(name: "edit", detail: "")
            case "error": message.map { .problem($0) }
            default: nil
            }
        }
    }

    struct Usage: Decodable {
        var input_tokens: Int?
        var cache_creation_input_tokens: Int?
        var cache_read_input_tokens: Int?
        var cached_input_tokens: Int?
        var output_tokens: Int?

        var tokens: TokenUsage {
            TokenUsage(
                input: max(0, (input_tokens ?? 0) - (cached_input_tokens ?? 0)),
                cacheRead: cache_read_input_tokens ?? cached_input_tokens ?? 0,
                cacheWrite: cache_creation_input_tokens ?? 0, output: output_tokens ?? 0)
        }
    }
}
