import Testing

@testable import Egress

@Suite struct UsageReaderTests {
    private func result(_ dialect: Provider.Dialect, _ text: String, stream: Bool = true) -> UsageReader.Result {
        var reader = UsageReader(dialect, contentType: stream ? "text/event-stream; charset=utf-8" : "application/json")
        // A stream comes in pieces that end anywhere.
        for byte in Array(text.utf8) { reader.read([byte]) }
        return reader.finish(requestBytes: 4000)
    }

    @Test func `Anthropic's stream tells input at its start and output at its end`() {
        let found = result(
            .anthropic,
            """
            event: message_start
            data: {"type":"message_start","message":{"model":"claude-opus-5","usage":{"input_tokens":12,"cache_read_input_tokens":5,"cache_creation_input_tokens":3,"output_tokens":1}}}

            data: {"type":"message_delta","delta":{},"usage":{"output_tokens":77}}

            data: {"type":"message_stop"}


            """)
        #expect(found.usage == TokenUsage(input: 12, cacheRead: 5, cacheWrite: 3, output: 77))
        #expect(found.model == "claude-opus-5")
        #expect(found.isWhole)
    }

    @Test func `OpenAI's responses count cached input apart`() {
        let found = result(
            .openai,
            #"data: {"type":"response.completed","response":{"model":"gpt-5","usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":40},"output_tokens":9}}}"#
                + "\n\n")
        #expect(found.usage == TokenUsage(input: 60, cacheRead: 40, output: 9))
        #expect(found.isWhole)
    }

    @Test func `an answer that is not a stream has its usage at the top`() {
        let text = #"{"model":"gpt-5","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":4}}"#
        #expect(result(.openai, text, stream: false).usage == TokenUsage(input: 10, output: 4))
    }

    @Test func `a cut answer is counted by what came and by what was asked`() {
        let found = result(.anthropic, "data: {\"type\":\"message_start\"}\n\ndata: {\"type\":\"content_bl")
        #expect(!found.isWhole)
        #expect(found.usage.input == 1000)
        #expect(found.usage.output > 0)
    }
}
