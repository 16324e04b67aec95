package import Egress
package import OrderedCollections
package import YAML

/// reporting.yaml: how far an agent has come. The loop in the pod writes it, or an agent itself; the orchestrator reads it and trusts none of it.
package struct Reporting: Codable, Hashable, Sendable {
    package static let currentVersion = 1
    package static let defaultPath = ".so/reporting.yaml"

    package var version = currentVersion
    package var agentType: String
    package var agentID: String
    package var updatedAt: String
    package var status: AgentStatus
    package var tasks: OrderedDictionary<String, TaskReport>

    enum CodingKeys: String, CodingKey {
        case version, status, tasks
        case agentType = "agent_type"
        case agentID = "agent_id"
        case updatedAt = "updated_at"
    }

    package init(agentType: String, agentID: String, updatedAt: String) {
        self.agentType = agentType
        self.agentID = agentID
        self.updatedAt = updatedAt
        status = .idle
        tasks = [:]
    }

    package enum AgentStatus: String, Codable, Hashable, Sendable, CaseIterable {
        case idle, working, ended
    }

    package enum TaskStatus: String, Codable, Hashable, Sendable, CaseIterable {
        case working, completed, failed, cancelled
        package var isFinal: Bool { self != .working }
    }

    package struct TaskReport: Codable, Hashable, Sendable {
        package var status = TaskStatus.working
        package var currentStep: String?
        /// What the agent says it did, at the end.
        package var summary: String?
        /// Commands that look like tests, as the agent ran them.
        package var tests: [String]?
        package var progress: [Progress]?
        package var filesModified: [ModifiedFile]?
        package var commits: [Commit]?
        package var usage: Usage?
        package var error: String?

        enum CodingKeys: String, CodingKey {
            case status, summary, tests, progress, commits, usage, error
            case currentStep = "current_step"
            case filesModified = "files_modified"
        }

        package init() {}
    }

    package struct Progress: Codable, Hashable, Sendable {
        package var timestamp: String
        package var status: TaskStatus
        package var message: String
    }

    package enum ChangeType: String, Codable, Hashable, Sendable, CaseIterable {
        case added, modified, deleted, renamed
    }

    package struct ModifiedFile: Codable, Hashable, Sendable {
        package var path: String
        package var changeType: ChangeType

        enum CodingKeys: String, CodingKey {
            case path
            case changeType = "change_type"
        }
    }

    package struct Commit: Codable, Hashable, Sendable {
        package var sha: String
        package var message: String
    }

    package struct Usage: Codable, Hashable, Sendable {
        package var inputTokens: Int
        package var outputTokens: Int

        enum CodingKeys: String, CodingKey {
            case inputTokens = "input_tokens"
            case outputTokens = "output_tokens"
        }

        package init(_ usage: TokenUsage) {
            inputTokens = usage.input + usage.cacheRead + usage.cacheWrite
            outputTokens = usage.output
        }
    }

    /// - Throws: every problem with its file:line.
    package init(_ bytes: [UInt8], file: String) throws(InvalidInput) {
        let node = try loadYAMLDocument(bytes, file: file, limits: .exchange)
        self = try NodeDecoder().decode(Reporting.self, from: node, refusingUnknownKeys: true)
        try checkVersion(version, Self.currentVersion, node)
    }

    package func yaml() throws -> [UInt8] { Array(try NodeEncoder().encode(self).yaml().utf8) }
}
