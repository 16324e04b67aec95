import FoundationEssentials
import Orchestrator
import SystemCrypto
import TestSupport
import Testing
import YAML

/// What a forge tells of a repository of the tests' own, each in its words, signed as it signs.
struct TestWebhooks: Sendable {
    let forge: TestForge
    let repository: RepositoryReference
    let send: @Sendable (WebhookRequest) async throws -> Void

    typealias Fields = [(String, Node)]

    func send(_ event: String, _ fields: Fields, by login: String, id: String? = nil) async throws {
        // No two events of a forge have the same body.
        let moment = Node.string(id ?? randomToken(20))
        let body = Array(Node.map(fields + [("moment", moment)] + (try await whereAndWho(login))).json().utf8)
        try await send(WebhookRequest(headers: headers(event, id ?? randomToken(20), body), body: body))
    }

    private func whereAndWho(_ login: String) async throws -> Fields {
        guard forge.kind != .gitlab else {
            return [
                ("project", .map([("id", .number(repository.id)), ("path_with_namespace", .string(repository.name))])),
                ("user", .map([("username", .string(login))])),
            ]
        }
        let own = try #require(await forge.state.repositories[repository.name])
        return [
            ("repository", await forge.state.repositoryNode(repository.name, own)),
            ("sender", await forge.state.userNode(login)),
        ]
    }

    private func headers(_ event: String, _ id: String, _ body: [UInt8]) -> [String: String] {
        let signature = hmacSHA256Hex(key: TestForge.secret, message: body)
        return switch forge.kind {
        case .github:
            ["x-github-event": event, "x-github-delivery": id, "x-hub-signature-256": "sha256=\(signature)"]
        case .gitea: ["x-gitea-event": event, "x-gitea-delivery": id, "x-gitea-signature": signature]
        case .gitlab:
            [
                "x-gitlab-event": event, "idempotency-key": id,
                "x-gitlab-token": String(decoding: TestForge.secret, as: UTF8.self),
            ]
        }
    }

    private var labelNode: Node { .map([("name", .string("so")), ("title", .string("so"))]) }

    /// An issue as its forge's webhook shows it; GitLab's has no name of its own for what happened to it.
    private func issue(_ number: Int, _ action: String, _ more: Fields = []) async throws -> Fields {
        let issue = try #require(await forge.state.repositories[repository.name]?.issues[number])
        guard forge.kind == .gitlab else {
            return [
                ("action", .string(action)), ("issue", await forge.state.issueNode(repository.name, issue)),
            ] + more
        }
        return [
            ("object_attributes", .map([("action", .string(action))] + Self.merged(issue))),
            ("labels", .list(issue.labels.map { .map([("title", .string($0))]) })),
        ] + more
    }

    private static func merged(_ issue: TestForgeState.Issue) -> Fields {
        [
            ("id", .number(issue.number * 1000)), ("iid", .number(issue.number)), ("title", .string(issue.title)),
            ("description", .string(issue.body)), ("state", .string(issue.isOpen ? "opened" : "closed")),
        ]
    }

    func label(_ number: Int, by login: String, id: String? = nil, isSet: Bool = true) async throws {
        await forge.state.change(repository.name) { repository in
            repository.issues[number]?.labels.removeAll { $0 == "so" }
            if isSet { repository.issues[number]?.labels.append("so") }
            repository.issues[number]?.labelled.append(.init("so", by: login, isSet: isSet))
        }
        switch forge.kind {
        case .github:
            let fields = try await issue(number, isSet ? "labeled" : "unlabeled", [("label", labelNode)])
            try await send("issues", fields, by: login, id: id)
        case .gitea:
            let changes = Node.map([(isSet ? "added_labels" : "removed_labels", .list([labelNode]))])
            try await send(
                "issues", try await issue(number, "label_updated", [("changes", changes)]), by: login, id: id)
        case .gitlab:
            let (with, without) = (Node.list([labelNode]), Node.list([]))
            let change = Node.map([("previous", isSet ? without : with), ("current", isSet ? with : without)])
            let fields = try await issue(number, "update", [("changes", .map([("labels", change)]))])
            try await send("Issue Hook", fields, by: login, id: id)
        }
    }

    /// It was deleted, or transferred to another repository; GitLab tells of neither.
    func remove(_ number: Int, _ action: String, by login: String) async throws {
        let fields = try await issue(number, action)
        await forge.state.change(repository.name) { $0.issues[number] = nil }
        try await send("issues", fields, by: login)
    }

    func close(_ number: Int, by login: String, id: String? = nil) async throws {
        let isGitLab = forge.kind == .gitlab
        await forge.state.change(repository.name) { $0.issues[number]?.isOpen = false }
        let fields = try await issue(number, isGitLab ? "close" : "closed")
        try await send(isGitLab ? "Issue Hook" : "issues", fields, by: login, id: id)
    }

    func comment(_ text: String, on number: Int, by login: String, id: String? = nil) async throws {
        guard forge.kind == .gitlab else {
            let comment = await comment(text, by: login)
            try await send(
                "issue_comment", try await issue(number, "created", [("comment", comment)]), by: login, id: id)
            return
        }
        let issue = try #require(await forge.state.repositories[repository.name]?.issues[number])
        try await note(text, [("issue", .map(Self.merged(issue)))], by: login, id: id)
    }

    /// Below the first pull request.
    func commentOnPull(_ text: String, by login: String) async throws {
        let pull = try #require(await forge.state.pulls(repository.name).first)
        let subject = TestForgeState.Issue(number: pull.number, title: pull.title, body: pull.body, author: "so-bot")
        if forge.kind == .gitlab {
            return try await note(text, [("merge_request", .map(Self.merged(subject)))], by: login)
        }
        let issue = await forge.state.issueNode(
            repository.name, subject, more: [("pull_request", .map([("url", .string("x"))]))])
        let fields = [("action", .string("created")), ("issue", issue), ("comment", await comment(text, by: login))]
        try await send("issue_comment", fields, by: login)
    }

    private func comment(_ text: String, by login: String) async -> Node {
        .map([("id", .number(1)), ("body", .string(text)), ("user", await forge.state.userNode(login))])
    }

    private func note(_ text: String, _ subject: Fields, by login: String, id: String? = nil) async throws {
        let note = Node.map([("id", .number(1)), ("note", .string(text)), ("action", .string("create"))])
        try await send("Note Hook", [("object_attributes", note)] + subject, by: login, id: id)
    }

    private func pull() async throws -> Node {
        let own = try #require(await forge.state.repositories[repository.name])
        return await forge.state.pullNode(repository.name, own, try #require(own.pulls.first))
    }

    func review(_ id: Int64, _ verdict: String, by login: String) async throws {
        let user = await forge.state.userNode(login)
        guard forge.kind != .gitea else {
            // Gitea's does not say which review it is.
            let review = Node.map([("type", .string("pull_request_review_rejected")), ("content", .string("Nearly."))])
            let fields = [("action", Node.string("reviewed")), ("review", review), ("pull_request", try await pull())]
            return try await send("pull_request_rejected", fields, by: login)
        }
        let review = Node.map([
            ("id", .number(id)), ("state", .string(verdict)), ("body", .string("Nearly.")), ("user", user),
        ])
        let fields = [("action", Node.string("submitted")), ("review", review), ("pull_request", try await pull())]
        try await send("pull_request_review", fields, by: login)
    }

    /// What the forge's state has of the first pull request: merged, or closed.
    func merge(by login: String) async throws {
        guard forge.kind == .gitlab else {
            let fields = [("action", Node.string("closed")), ("pull_request", try await pull())]
            return try await send("pull_request", fields, by: login)
        }
        let pull = try #require(await forge.state.pulls(repository.name).first)
        let attributes = Node.map([
            ("iid", .number(pull.number)), ("action", .string(pull.isMerged ? "merge" : "close")),
            ("source_branch", .string(pull.head)), ("target_branch", .string(pull.base)),
            ("source_project_id", .number(repository.id)), ("target_project_id", .number(repository.id)),
        ])
        try await send("Merge Request Hook", [("object_attributes", attributes)], by: login)
    }

    func checks(_ commit: String, _ conclusion: String, on branch: String) async throws {
        switch forge.kind {
        case .github:
            let suite = Node.map([
                ("head_sha", .string(commit)), ("head_branch", .string(branch)), ("conclusion", .string(conclusion)),
            ])
            let fields = [("action", Node.string("completed")), ("check_suite", suite)]
            try await send("check_suite", fields, by: "github-actions[bot]")
        case .gitea:
            // A commit's status, of no branch.
            let fields: Fields = [
                ("sha", .string(commit)), ("context", .string("ci")), ("state", .string(conclusion)),
            ]
            try await send("status", fields, by: "ci")
        case .gitlab:
            let pipeline = Node.map([
                ("ref", .string(branch)), ("sha", .string(commit)),
                ("status", .string(conclusion == "failure" ? "failed" : conclusion)),
            ])
            try await send("Pipeline Hook", [("object_attributes", pipeline)], by: "ci")
        }
    }
}
