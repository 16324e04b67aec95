package import FoundationEssentials

/// A task as the API shows it. Nothing of it is a secret, and all of it may be text of strangers.
package struct TaskView: Codable, Sendable {
    package var id: Int64
    package var repository: String
    package var issue: Int
    package var issueURL: String
    package var title: String
    package var state: TaskState
    package var priority: Int
    package var agent: String
    package var branch: String
    package var pullRequest: Int?
    package var pullRequestURL: String?
    package var currentStep: String?
    package var failure: String?
    package var failureKind: TaskFailure.Kind?
    package var attempts: Int
    /// How often it came to an end, or to a review.
    package var rounds: Int
    package var inputTokens: Int
    package var outputTokens: Int
    package var costUSD: Double
    package var requestedBy: String
    package var session: String?
    package var host: String?
    package var blockedBy: [Int]
    package var createdAt: Date
    package var updatedAt: Date

    init(_ task: IssueTask) {
        let details = task.details
        id = task.id
        repository = task.issue.repository.name
        issue = task.issue.number
        issueURL = details.issueURL
        title = details.title
        state = task.state
        priority = task.priority
        agent = task.agent
        branch = details.branch
        pullRequest = details.pullRequest?.number
        pullRequestURL = details.pullRequest?.url
        currentStep = details.currentStep
        failure = details.failure?.message
        failureKind = details.failure?.kind
        attempts = details.attempts
        rounds = details.rounds
        inputTokens = details.usage.inputTokens
        outputTokens = details.usage.outputTokens
        costUSD = details.usage.cost
        requestedBy = details.requestedBy
        session = details.session
        host = details.host
        blockedBy = details.blockedBy
        createdAt = task.createdAt
        updatedAt = task.updatedAt
    }
}

/// A project as the API shows it.
package struct ProjectView: Codable, Sendable {
    package var repository: String
    package var label: String
    package var agent: String
    package var maxParallel: Int?
    package var budgetUSD: Double?
    /// In this calendar month.
    package var costUSD: Double
    /// On all hosts together, when it was last accounted.
    package var diskBytes: Int64
    /// On one host.
    package var diskLimitBytes: Int64?
    package var tasks: [String: Int]
}

/// A credential's name; never its value.
package struct CredentialView: Codable, Sendable {
    package var name: String
}

/// Why a request was not done.
package struct FailureView: Codable, Sendable {
    package var message: String
    package var hint: String?
}

/// The shape of everything that the API sends and takes.
package enum APIJSON {
    package static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    package static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }

    static func response(_ value: some Encodable, status: Int = 200) throws -> WebResponse {
        WebResponse(
            status, type: "application/json", String(decoding: try encoder().encode(value), as: UTF8.self) + "\n")
    }
}

extension Date {
    /// The first moment of this month, in UTC.
    static func monthStart(_ now: Date = Date()) -> Date {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.date(from: calendar.dateComponents([.year, .month], from: now)) ?? now
    }
}
