import FoundationEssentials

/// Finds the tokens in a provider's answer while it passes, whether it is a stream of events or one object.
///
/// Rules: <https://docs.anthropic.com/en/docs/build-with-claude/streaming>,
/// <https://platform.openai.com/docs/api-reference/responses-streaming>, <https://platform.openai.com/docs/api-reference/chat-streaming>.
package struct UsageReader: Sendable {
    /// What one answer cost in tokens.
    package struct Result: Hashable, Sendable {
        package var usage: TokenUsage
        package var model: String?
        /// Whether the answer's end was seen. Where it was not, the output is estimated from what passed.
        package var isWhole: Bool
    }

    private let dialect: Provider.Dialect
    private let isStream: Bool
    private var line: [UInt8] = []
    private var usage = TokenUsage()
    private var model: String?
    private var isWhole = false
    private var seen = 0
    private var hasUsage = false

    /// Longer lines and objects hold no usage that is worth their memory.
    private static let limit = 4 << 20

    package init(_ dialect: Provider.Dialect, contentType: String) {
        self.dialect = dialect
        isStream = contentType.lowercased().hasPrefix("text/event-stream")
    }

    package mutating func read(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            seen += 1
            if isStream && byte == UInt8(ascii: "\n") {
                endLine()
            } else if line.count < UsageReader.limit {
                line.append(byte)
            }
        }
    }

    /// - Parameter requestBytes: the size of the request, from which the input of a cut answer is estimated.
    package mutating func finish(requestBytes: Int) -> Result {
        if isStream { endLine() } else { event(line) }
        if !isWhole || !hasUsage {
            // About four bytes of text are a token; a stream's events weigh more than their text.
            if usage == TokenUsage() { usage.input = requestBytes / 4 }
            usage.output = max(usage.output, seen / (isStream ? 16 : 4))
        }
        return Result(usage: usage, model: model, isWhole: isWhole)
    }

    private mutating func endLine() {
        defer { line.removeAll(keepingCapacity: true) }
        guard line.starts(with: Array("data:".utf8)) else { return }
        let data = line.dropFirst(5)
        if String(decoding: data.prefix(16), as: UTF8.self).contains("[DONE]") {
            isWhole = true
        } else {
            event(Array(data))
        }
    }

    private mutating func event(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, let event = try? JSONDecoder().decode(Event.self, from: Data(bytes)) else { return }
        switch dialect {
        case .anthropic: anthropic(event)
        case .openai: openai(event)
        case .gemini: gemini(event)
        }
    }

    private mutating func anthropic(_ event: Event) {
        model = event.message?.model ?? event.model ?? model
        if let counts = event.message?.usage ?? event.usage {
            hasUsage = true
            usage.input = counts.input_tokens ?? usage.input
            usage.cacheRead = counts.cache_read_input_tokens ?? usage.cacheRead
            usage.cacheWrite = counts.cache_creation_input_tokens ?? usage.cacheWrite
            usage.output = counts.output_tokens ?? usage.output
        }
        if event.type == "message_stop" || (!isStream && event.usage != nil) { isWhole = true }
    }

    private mutating func openai(_ event: Event) {
        model = event.response?.model ?? event.model ?? model
        guard let counts = event.response?.usage ?? event.usage else { return }
        hasUsage = true
        isWhole = true
        let cached = counts.input_tokens_details?.cached_tokens ?? counts.prompt_tokens_details?.cached_tokens ?? 0
        let input = counts.input_tokens ?? counts.prompt_tokens ?? 0
        usage = TokenUsage(
            input: max(0, input - cached), cacheRead: cached,
            output: counts.output_tokens ?? counts.completion_tokens ?? 0)
    }

    private mutating func gemini(_ event: Event) {
        model = event.modelVersion ?? model
        guard let counts = event.usageMetadata else { return }
        hasUsage = true
        isWhole = true
        let cached = counts.cachedContentTokenCount ?? 0
        usage = TokenUsage(
            input: max(0, (counts.promptTokenCount ?? 0) - cached), cacheRead: cached,
            output: (counts.candidatesTokenCount ?? 0) + (counts.thoughtsTokenCount ?? 0))
    }
}

/// What of the providers' events is read. The names are theirs.
private struct Event: Decodable {
    var type: String?
    var model: String?
    var modelVersion: String?
    var message: Answer?
    var response: Answer?
    var usage: Counts?
    var usageMetadata: GeminiCounts?

    enum CodingKeys: CodingKey { case type, model, modelVersion, message, response, usage, usageMetadata }

    // A field of another type than expected is as good as absent: it must not hide the others.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        type = try? values.decode(String.self, forKey: .type)
        model = try? values.decode(String.self, forKey: .model)
        modelVersion = try? values.decode(String.self, forKey: .modelVersion)
        message = try? values.decode(Answer.self, forKey: .message)
        response = try? values.decode(Answer.self, forKey: .response)
        usage = try? values.decode(Counts.self, forKey: .usage)
        usageMetadata = try? values.decode(GeminiCounts.self, forKey: .usageMetadata)
    }

    struct Answer: Decodable {
        var model: String?
        var usage: Counts?
    }

    struct Counts: Decodable {
        var input_tokens: Int?
        var output_tokens: Int?
        var cache_creation_input_tokens: Int?
        var cache_read_input_tokens: Int?
        var prompt_tokens: Int?
        var completion_tokens: Int?
        var input_tokens_details: Details?
        var prompt_tokens_details: Details?

        struct Details: Decodable { var cached_tokens: Int? }
    }

    struct GeminiCounts: Decodable {
        var promptTokenCount: Int?
        var candidatesTokenCount: Int?
        var thoughtsTokenCount: Int?
        var cachedContentTokenCount: Int?
    }
}
