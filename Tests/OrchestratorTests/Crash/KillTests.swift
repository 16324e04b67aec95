import AsyncHTTPClient
import FoundationEssentials
import Glibc
import NIOCore
import NIOHTTP1
import Orchestrator
import SystemCrypto
import TestSupport
import Testing

/// The built server, killed at random moments while webhooks come in. `SO_KILL_ROUNDS` makes more rounds, `SO_SEED` repeats a run.
@Suite struct KillTests {
    @Test(arguments: StoreKind.allCases)
    func `loses no webhook that it has answered, and makes no task or comment twice`(kind: StoreKind) async throws {
        switch kind {
        case .sqlite: try await rounds(store: "sqlite:orchestrator.db")
        case .postgresql:
            try await withPostgres { server in
                let directory = server.address.split(separator: " ")[0].dropFirst("host=".count)
                try await rounds(store: "postgresql:///postgres?host=\(directory)&user=so")
            }
        }
    }

    private func rounds(store: String) async throws {
        try await withForge { forge in
            try await withTemporaryDirectory("so-kill") { directory in
                let repository = try await forge.repository(files: ["workspace.yml": "pass: [HOME]\n"])
                await forge.state.change(repository.name) { own in
                    for number in KilledServer.issues {
                        own.issues[number] = TestForgeState.Issue(
                            number: number, title: "Issue \(number)", body: "Do it.", author: "ada", labels: ["so"],
                            labelled: [.init("so", by: "ada")])
                    }
                }
                let world = try KilledServer(forge: forge, repository: repository, directory: directory, store: store)
                var random = SeededGenerator.ofTest()
                var answered: Set<String> = []
                for round in 0..<killRounds(6) {
                    let patience = UInt64.random(in: 50...1500, using: &random)
                    answered.formUnion(try await world.round(round, killAfter: .milliseconds(patience)))
                }
                try await world.settle()
                try await world.check(answered)
            }
        }
    }
}

/// One server that is started again and again on the same store and forge.
private struct KilledServer: Sendable {
    let forge: TestForge
    let repository: RepositoryReference
    let directory: String
    let port: Int
    let configuration: String

    static let issues = 1...5

    init(forge: TestForge, repository: RepositoryReference, directory: String, store: String) throws {
        self.forge = forge
        self.repository = repository
        self.directory = directory
        port = try freePort()
        configuration = directory + "/orchestrator.yml"
        try write(String(decoding: TestForge.secret, as: UTF8.self), to: directory + "/webhook", mode: 0o600)
        try write(TestForge.token, to: directory + "/token", mode: 0o600)
        // A session of what the repository asks for is refused: each task runs to its end in an instant, and its end is told the forge.
        try write(
            "name: own\ncommands: {interactive: [cat], headless: [cat]}\n",
            to: directory + "/.config/so/agents/own.yml")
        let text = """
            listen: 127.0.0.1:\(port)
            url: http://127.0.0.1:\(port)
            store: \(store)
            forge: {kind: github, api: \(forge.api), webhook-secret-file: webhook, token-file: token}
            agents: {default: {cli: own}}
            projects: [{repository: \(repository.name)}]
            """
        try write(text, to: configuration)
    }

    /// Runs the server until the body ends, then kills it.
    private func serve(_ body: () async throws -> Void) async throws {
        var environment = Podman.environment
        environment["HOME"] = directory
        for name in ["CONFIG", "STATE", "DATA"] { environment["XDG_\(name)_HOME"] = nil }
        _ = try await run(
            Sandbox.binary, ["orchestrator", "serve", "--config", configuration], environment: environment,
            directory: directory
        ) { running in
            defer { running.killNow() }
            try await eventually("the server listens: \(running.errors)") {
                running.errors.contains("listening on") || !running.isAlive
            }
            try #require(running.isAlive, "\(running.errors)")
            try await body()
        }
    }

    /// Sends webhooks until the server is killed; returns the ids of those that were answered with 202.
    func round(_ round: Int, killAfter patience: Duration) async throws -> Set<String> {
        var answered: Set<String> = []
        try await serve {
            let end = ContinuousClock.now + patience
            var number = 0
            while ContinuousClock.now < end {
                number += 1
                // Each is sent twice, as a forge does that got no answer.
                let id = "\(round)-\(number / 2)"
                // A label that is set again begins its task again: a few of them, or telling each end would take minutes.
                let isStart = round % 3 == 0 && number <= 2 * Self.issues.count
                let issue = number / 2 % Self.issues.count + 1
                if try await deliver(id, issue: issue, isStart ? "labeled" : "edited") { answered.insert(id) }
            }
        }
        return answered
    }

    private func deliver(_ id: String, issue: Int, _ action: String) async throws -> Bool {
        let body = """
            {"action": "\(action)", "label": {"id": 1, "name": "so"}, "repository": {"id": \(repository.id), "full_name": "\(repository.name)"},
             "sender": {"login": "ada", "type": "User"}, "issue": {"number": \(issue), "title": "Issue \(issue)", "body": "Do it.",
             "state": "open", "html_url": "\(forge.web)/\(repository.name)/issues/\(issue)", "user": {"login": "ada", "type": "User"},
             "labels": [{"id": 1, "name": "so"}]}, "moment": "\(id)"}
            """
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/webhooks/github")
        request.method = .POST
        request.headers = [
            "x-github-event": "issues", "x-github-delivery": id, "content-type": "application/json",
            // No connection of the server that was killed is used again.
            "connection": "close",
            "x-hub-signature-256": "sha256=" + hmacSHA256Hex(key: TestForge.secret, message: Array(body.utf8)),
        ]
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        _ = try await response.body.collect(upTo: 1 << 20)
        return response.status == .accepted
    }

    private func open() async throws -> SQLStore {
        try await Configuration.load(configuration, workingDirectory: directory).openStore()
    }

    /// Lets the server come to rest.
    func settle() async throws {
        try await serve {
            let store = try await open()
            // A forge takes one comment a second, and what a killed server had begun to tell is repeated after a minute and a half.
            try await eventually(within: 900, "everything is handled and told") {
                let isIdle = try await store.pendingDeliveries(limit: 1).isEmpty
                let counts = try await store.counts()
                let comments = await forge.state.comments(repository.name)
                // Those that no webhook came through for are found by the reconciliation.
                let isTold = Self.issues.allSatisfy { number in
                    comments.contains { $0.issue == number && $0.body.contains("/closing-") }
                }
                return isIdle && counts.keys.allSatisfy(\.isEnded) && isTold
            }
        }
    }

    func check(_ answered: Set<String>) async throws {
        let store = try await open()
        let deliveries = try await store.deliveries(limit: 100_000)
        #expect(answered.isSubset(of: Set(deliveries.map(\.id))))
        #expect(Set(deliveries.map(\.id)).count == deliveries.count)
        let tasks = try await store.tasks(TaskQuery(limit: 1000))
        #expect(tasks.map(\.issue.number).sorted() == Array(Self.issues))
        let comments = await forge.state.comments(repository.name)
        for number in Self.issues {
            let marks = comments.filter { $0.issue == number }.compactMap { Self.mark($0.body) }
            #expect(Set(marks).count == marks.count, "\(marks)")
            #expect(marks.contains { $0.contains("/progress") } && marks.contains { $0.contains("/closing-") })
        }
    }

    /// What a comment is, as its hidden mark says.
    private static func mark(_ body: String) -> String? {
        body.firstRange(of: "<!-- so:").map { String(body[$0.upperBound...].prefix { $0 != " " }) }
    }
}
