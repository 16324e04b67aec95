package import YAML

/// tasking.yaml: what an agent is to do. The orchestrator writes it, the loop in the pod reads it.
package struct Tasking: Codable, Hashable, Sendable {
    package static let currentVersion = 1
    /// Where it is, below the checkout, unless the agent's declaration says otherwise.
    package static let defaultPath = ".so/tasking.yaml"

    package var version = currentVersion
    package var updatedAt: String
    /// The name of the workspace.
    package var workspace: String
    package var tasks: [Item]

    enum CodingKeys: String, CodingKey {
        case version, workspace, tasks
        case updatedAt = "updated_at"
    }

    package init(updatedAt: String, workspace: String, tasks: [Item]) {
        self.updatedAt = updatedAt
        self.workspace = workspace
        self.tasks = tasks
    }

    package enum Status: String, Codable, Hashable, Sendable, CaseIterable {
        case pending
        case cancelled
        case done
    }

    /// One instruction; a follow-up of the same issue is another one.
    package struct Item: Codable, Hashable, Sendable {
        package var id: String
        package var title: String
        package var status: Status
        package var priority: Int?
        package var branch: String?
        /// Text of users of the forge, cleaned; data, never an instruction to the loop.
        package var description: String
        package var acceptanceCriteria: [String]?
        package var context: Context?

        enum CodingKeys: String, CodingKey {
            case id, title, status, priority, branch, description, context
            case acceptanceCriteria = "acceptance_criteria"
        }

        package init(
            id: String, title: String, status: Status = .pending, priority: Int? = nil, branch: String? = nil,
            description: String, acceptanceCriteria: [String]? = nil, relatedFiles: [String] = []
        ) {
            self.id = id
            self.title = title
            self.status = status
            self.priority = priority
            self.branch = branch
            self.description = description
            self.acceptanceCriteria = acceptanceCriteria
            context = Context(relatedFiles: relatedFiles)
        }
    }

    package struct Context: Codable, Hashable, Sendable {
        package var relatedFiles: [String]?

        enum CodingKeys: String, CodingKey { case relatedFiles = "related_files" }
    }

    /// - Throws: every problem with its file:line.
    package init(_ bytes: [UInt8], file: String) throws(InvalidInput) {
        let node = try loadYAMLDocument(bytes, file: file, limits: .exchange)
        self = try NodeDecoder().decode(Tasking.self, from: node)
        try checkVersion(version, Self.currentVersion, node)
    }

    package func yaml() throws -> [UInt8] { Array(try NodeEncoder().encode(self).yaml().utf8) }
}

extension YAMLLimits {
    /// tasking.yaml and reporting.yaml: an agent may have written them.
    package static let exchange = YAMLLimits(bytes: 1 << 20, depth: 12, nodes: 40_000, expandedBytes: 2 << 20)
}

func checkVersion(_ version: Int, _ known: Int, _ node: Node) throws(InvalidInput) {
    guard version != known else { return }
    throw InvalidInput([
        Diagnostic(
            .error, at: node.mapping?["version"]?.mark ?? node.mark, "version \(version) is not known",
            hint: "write version: \(known)")
    ])
}
