import FoundationEssentials
import Orchestrator
import SystemCrypto
import TestSupport
import Testing
import YAML

/// What GitHub tells of a repository of the tests' forge, signed as it signs.
struct TestWebhooks: Sendable {
    let forge: TestForge
    let repository: RepositoryReference
    let send: @Sendable (WebhookRequest) async throws -> Void

    private func send(_ event: String, _ fields: [(String, Node)], by login: String, id: String? = nil) async throws {
        let own = await forge.state.repositories[repository.name]
        let node = await forge.state.repositoryNode(repository.name, try #require(own))
        let sender = await forge.state.userNode(login)
        // No two events of a forge have the same body.
        let moment = Node.string(id ?? randomToken(20))
        let body = Array(Node.map(fields + [("repository", node), ("sender", sender), ("moment", moment)]).json().utf8)
        try await send(
            WebhookRequest(
                headers: [
                    "x-github-event": event, "x-github-delivery": id ?? randomToken(20),
                    "x-hub-signature-256": "sha256=" + hmacSHA256Hex(key: TestForge.secret, message: body),
                ], body: body))
    }

    private func issue(_ number: Int) async throws -> Node {
        let issue = await forge.state.repositories[repository.name]?.issues[number]
        return await forge.state.issueNode(repository.name, try #require(issue))
    }

    func label(_ number: Int, by login: String, id: String? = nil) async throws {
        let fields = [
            ("action", Node.string("labeled")), ("issue", try await issue(number)),
            ("label", .map([("name", .string("so"))])),
        ]
        try await send("issues", fields, by: login, id: id)
    }

    func close(_ number: Int, by login: String) async throws {
        try await send("issues", [("action", .string("closed")), ("issue", try await issue(number))], by: login)
    }

    func comment(_ text: String, on number: Int, by login: String, id: String? = nil) async throws {
        let user = await forge.state.userNode(login)
        let comment = Node.map([("id", .number(1)), ("body", .string(text)), ("user", user)])
        let fields = [("action", Node.string("created")), ("issue", try await issue(number)), ("comment", comment)]
        try await send("issue_comment", fields, by: login, id: id)
    }

    private func pull() async throws -> Node {
        let own = try #require(await forge.state.repositories[repository.name])
        return await forge.state.pullNode(repository.name, own, try #require(own.pulls.first))
    }

    func review(_ id: Int64, _ verdict: String, by login: String) async throws {
        let user = await forge.state.userNode(login)
        let review = Node.map([
            ("id", .number(id)), ("state", .string(verdict)), ("body", .string("Nearly.")), ("user", user),
        ])
        let fields = [("action", Node.string("submitted")), ("review", review), ("pull_request", try await pull())]
        try await send("pull_request_review", fields, by: login)
    }

    func merge(by login: String) async throws {
        let fields = [("action", Node.string("closed")), ("pull_request", try await pull())]
        try await send("pull_request", fields, by: login)
    }

    func checks(_ commit: String, _ conclusion: String, on branch: String) async throws {
        let suite = Node.map([
            ("head_sha", .string(commit)), ("head_branch", .string(branch)), ("conclusion", .string(conclusion)),
        ])
        let fields = [("action", Node.string("completed")), ("check_suite", suite)]
        try await send("check_suite", fields, by: "github-actions[bot]")
    }
}
