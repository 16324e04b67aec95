/// What a model costs, in billionths of a dollar a token: $3 a million tokens are 3000.
package struct ModelPrice: Codable, Hashable, Sendable {
    /// The beginning of the model's name; the longest that fits counts.
    package var model: String
    package var input: Int
    package var output: Int
    /// Of input that was read from the provider's cache.
    package var cacheRead: Int
    /// Of input that was written to it.
    package var cacheWrite: Int

    package init(_ model: String, input: Int, output: Int, cacheRead: Int, cacheWrite: Int? = nil) {
        self.model = model
        self.input = input
        self.output = output
        self.cacheRead = cacheRead
        self.cacheWrite = cacheWrite ?? input
    }

    package func cost(_ usage: TokenUsage) -> Int {
        usage.input * input + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite + usage.output * output
    }
}

/// Tokens of one request or of many.
package struct TokenUsage: Codable, Hashable, Sendable {
    /// Without what was read from the cache or written to it.
    package var input = 0
    package var cacheRead = 0
    package var cacheWrite = 0
    package var output = 0

    package init(input: Int = 0, cacheRead: Int = 0, cacheWrite: Int = 0, output: Int = 0) {
        self.input = input
        self.cacheRead = cacheRead
        self.cacheWrite = cacheWrite
        self.output = output
    }

    package static func + (one: TokenUsage, other: TokenUsage) -> TokenUsage {
        TokenUsage(
            input: one.input + other.input, cacheRead: one.cacheRead + other.cacheRead,
            cacheWrite: one.cacheWrite + other.cacheWrite, output: one.output + other.output)
    }
}
