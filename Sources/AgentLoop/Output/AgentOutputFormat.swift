/// How a headless run's standard output is read.
package enum AgentOutputFormat: String, Hashable, Sendable, CaseIterable, Codable {
    case claude = "claude-stream-json"
    case codex = "codex-json"
    case vibe = "vibe-streaming"
    /// Nothing can be read from it but lines.
    case text
}
