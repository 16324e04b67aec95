import FoundationEssentials
import Orchestrator
import SystemCrypto
import TestSupport
import Testing

/// Our clients against what GitHub and OpenBao were seen to answer: nothing is asked that was not asked then, and every answer is understood.
@Suite(.enabled(if: Shared.directory != nil, Shared.absent)) struct RecordedExchangeTests {
    private let repository = RepositoryReference(id: 186_853_002, name: "Codertocat/Hello-World")
    private let commit = "ec26c3e57ca3a959ca5aad62de7213c562f8c821"
    private var issue: IssueReference { IssueReference(repository, number: 1) }

    private func github(_ body: (RecordedExchanges, GitHub) async throws -> Void) async throws {
        try await withRecordedExchanges("github/rest.json") { exchanges in
            let client = GitHub(
                api: exchanges.url, secret: [1], authentication: .token("ghp_0123456789abcdefghijklmnopqrstuvwxyz"),
                isPatient: false, writeInterval: .zero)
            try await body(exchanges, client)
        }
    }

    @Test func `what GitHub says of people, repositories and issues is understood`() async throws {
        try await github { exchanges, client in
            let levels: [(String, ForgePermission)] = [
                ("permission.admin", .admin), ("permission.maintain", .write), ("permission.write", .write),
                ("permission.triage", .read), ("permission.read", .read), ("permission.none", .none),
            ]
            for (name, level) in levels {
                let found = try await exchanges.expect(name) {
                    try await client.permission(of: "Codertocat", in: repository)
                }
                #expect(found == level, "\(name)")
            }
            let bot = try await exchanges.expect("permission.not-a-user") {
                try await client.permission(of: "agent-bot[bot]", in: repository)
            }
            #expect(bot == .none)
            let found = try await exchanges.expect("repo.get") { try await client.repository(repository.name) }
            #expect(found == repository)
            let read = try await exchanges.expect("issue.get") { try await client.issue(issue) }
            #expect(read.reference == issue && read.isOpen && !read.title.isEmpty)
            for (name, code) in [
                ("error.bad-credentials", OrchestratorError.Code.unavailable), ("error.not-found", .missing),
                ("error.limit-primary", .unavailable), ("error.server", .unavailable),
            ] {
                let error = await #expect(throws: OrchestratorError.self) {
                    try await exchanges.expect(name) { try await client.repository(repository.name) }
                }
                #expect(error?.code == code, "\(name): \(error?.description ?? "")")
            }
            let gone = await #expect(throws: OrchestratorError.self) {
                try await exchanges.expect("issue.get.deleted") {
                    try await client.issue(IssueReference(repository, number: 9))
                }
            }
            #expect(gone?.code == .missing, "\(gone?.description ?? "")")
        }
    }

    @Test func `comments and labels are asked for as GitHub takes them`() async throws {
        try await github { exchanges, client in
            let made = try await exchanges.expect("comment.create") {
                try await client.createComment("Working on it.", on: issue)
            }
            #expect(made == 492_700_400)
            try await exchanges.expect("comment.update") { try await client.editComment(made, "Done.", on: issue) }
            let gone = await #expect(throws: OrchestratorError.self) {
                try await exchanges.expect("comment.update.gone") {
                    try await client.editComment(made, "Done.", on: issue)
                }
            }
            #expect(gone?.code == .missing)
            try await exchanges.expect("labels.add") { try await client.addLabel("agent-running", to: issue) }
            for name in ["labels.remove", "labels.remove.absent"] {
                try await exchanges.expect(name) { try await client.removeLabel("agent-running", from: issue) }
            }
        }
    }

    @Test func `pull requests, reviews and checks are understood, and one that is there already is looked up`()
        async throws
    {
        try await github { exchanges, client in
            let wanted = NewPullRequest(
                repository: repository, title: "Fix spelling in README", body: "Closes #1", head: "agent/1-spelling",
                base: "master")
            let made = try await exchanges.expect("pull.create") { try await client.openPullRequest(wanted) }
            #expect(made.number == 2 && made.isOpen)
            // The recording leaves out whose branch it is: then it is not taken for our own.
            await #expect(throws: OrchestratorError.self) {
                try await exchanges.expect("pull.create.exists", "pull.list.by-head") {
                    try await client.openPullRequest(wanted)
                }
            }
            let pull = try await exchanges.expect("pull.get") { try await client.pullRequest(2, in: repository) }
            #expect(pull.number == 2 && !pull.headCommit.isEmpty)
            let reviews = try await exchanges.expect("reviews.list") { try await client.reviews(of: 2, in: repository) }
            #expect(!reviews.isEmpty)
            let comments = try await exchanges.expect("review-comments.of-review") {
                try await client.reviewComments(237_895_671, of: 2, in: repository)
            }
            #expect(comments.allSatisfy { !$0.body.isEmpty && !$0.path.isEmpty } && !comments.isEmpty)
            let checks = try await exchanges.expect("checks.list", "status.combined") {
                try await client.checks(of: commit, in: repository)
            }
            #expect(checks.commit == commit)
        }
    }

    private func vault(
        _ path: String, _ authentication: VaultAuthentication = .token("s.token"),
        _ body: (RecordedExchanges, VaultCredentials) async throws -> Void
    ) async throws {
        try await withRecordedExchanges("vault/exchanges.json") { exchanges in
            try await body(
                exchanges, VaultCredentials(address: exchanges.url, path: path, authentication: authentication))
        }
    }

    @Test func `a KV store is asked as OpenBao was, and its refusals are told apart`() async throws {
        try await vault("app") { exchanges, backend in
            try await exchanges.expect("health (unsealed, active)", "lookup-self", "kv2 list by GET") {
                try await backend.check()
            }
            let names = try await exchanges.expect("kv2 list by GET") { try await backend.names() }
            #expect(names.contains("github"))
            let absent = try await exchanges.expect("kv2 read missing") { try await backend.value(of: "none") }
            #expect(absent == nil)
            let deleted = try await exchanges.expect("kv2 read a deleted version") {
                try await backend.value(of: "github")
            }
            #expect(deleted == nil)
            try await exchanges.expect("kv2 write") { try await backend.set("github", to: Array("v".utf8)) }
            // Another program's secret has other keys.
            for (name, code) in [
                ("kv2 read latest", OrchestratorError.Code.invalid), ("bad token", .notPermitted),
            ] {
                let error = await #expect(throws: OrchestratorError.self) {
                    try await exchanges.expect(name) { try await backend.value(of: "github") }
                }
                #expect(error?.code == code, "\(name): \(error?.description ?? "")")
            }
        }
    }

    @Test func `logins are asked for as OpenBao takes them`() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory + "/secret"
            try write("e45c85e0-f41d-3356-409c-ae01b0d6d4e5", to: file, mode: 0o600)
            try await vault("app", .appRole(roleID: "978be7f3", secretIDFile: file)) { exchanges, backend in
                let error = await #expect(throws: OrchestratorError.self) {
                    try await exchanges.expect("approle login, bad secret_id") { try await backend.names() }
                }
                #expect(error?.code == .notPermitted)
                let names = try await exchanges.expect("approle login", "kv2 list by GET") {
                    try await backend.names()
                }
                #expect(names.contains("github"))
            }
            try await vault("app", .kubernetes(role: "agent", tokenFile: file)) { exchanges, backend in
                let names = try await exchanges.expect("kubernetes login", "kv2 list by GET") {
                    try await backend.names()
                }
                #expect(names.contains("github"))
            }
        }
    }
}
