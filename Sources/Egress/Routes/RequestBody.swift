import FoundationEssentials

/// What the egress reads of a request to a provider, and the one thing that it adds.
package struct RequestBody: Sendable {
    package var bytes: [UInt8]
    package let model: String?
    /// The most that the answer may hold, where the request says so.
    package let outputLimit: Int?

    package init(_ bytes: [UInt8], dialect: Provider.Dialect, path: String) {
        let read = try? JSONDecoder().decode(Fields.self, from: Data(bytes))
        model = read?.model
        outputLimit = read?.max_tokens ?? read?.max_output_tokens ?? read?.max_completion_tokens
        self.bytes = bytes
        let isChat = dialect == .openai && path.hasSuffix("/chat/completions")
        guard isChat, let read, read.stream == true, read.stream_options?.include_usage != true else { return }
        // Only a stream that is asked to tells its usage. Where the agent gives other options, they stay, and the answer is estimated.
        guard read.stream_options == nil, let brace = bytes.firstIndex(of: UInt8(ascii: "{")) else { return }
        self.bytes.insert(contentsOf: Array(#""stream_options":{"include_usage":true},"#.utf8), at: brace + 1)
    }

    private struct Fields: Decodable {
        var model: String?
        var stream: Bool?
        var max_tokens: Int?
        var max_output_tokens: Int?
        var max_completion_tokens: Int?
        var stream_options: Options?

        struct Options: Decodable { var include_usage: Bool? }
    }
}
