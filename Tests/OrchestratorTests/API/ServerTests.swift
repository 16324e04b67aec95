import FoundationEssentials
import NIOHTTP1
import Orchestrator
import SystemCrypto
import TestSupport
import Testing

@Suite struct ServerTests {
    private func webhook(_ server: ServerFixture, id: String, body: String, secret: [UInt8] = TestForge.secret)
        async throws
        -> ServerFixture.Answer
    {
        let signature = "sha256=" + hmacSHA256Hex(key: secret, message: Array(body.utf8))
        return try await server.send(
            .POST, "/webhooks/github",
            [
                ("x-github-event", "issues"), ("x-github-delivery", id), ("x-hub-signature-256", signature),
                ("content-type", "application/json"),
            ], body: Array(body.utf8))
    }

    @Test func `a webhook is recorded once and answered at once; a forged or unsigned one is refused`() async throws {
        try await withServer { server in
            #expect(try await webhook(server, id: "1", body: "{}").status == 202)
            #expect(try await webhook(server, id: "1", body: "{}").status == 202)
            #expect(try await webhook(server, id: "2", body: "{}", secret: [1]).status == 403)
            #expect(try await server.send(.POST, "/webhooks/github", body: Array("{}".utf8)).status == 403)
            #expect(try await server.send(.POST, "/webhooks/gitea", body: Array("{}".utf8)).status == 404)
            #expect(try await server.store.deliveries(limit: 10).map(\.id) == ["1"])
            let metrics = try await server.get("/metrics").text
            #expect(metrics.contains("so_webhook_deliveries_total{result=\"recorded\"} 1\n"))
            #expect(metrics.contains("so_webhook_deliveries_total{result=\"refused\"} 2\n"))
        }
    }

    @Test func `a body larger than the forge's limit is refused without being kept`() async throws {
        try await withServer { server in
            let answer = try await server.send(
                .POST, "/webhooks/github", body: [UInt8](repeating: 32, count: (25 << 20) + 1))
            #expect(answer.status == 413)
        }
    }

    @Test func `a hundred megabytes that do not say how many they are are let go when they are too many`() async throws
    {
        try await withServer { server in
            let status = try await server.sendChunked("/webhooks/github", megabytes: 100)
            #expect(status == 413 || status == nil)
            #expect(try await server.get("/healthz").status == 200)
            #expect(try await server.store.deliveries(limit: 10).isEmpty)
        }
    }

    @Test func `an instruction is text of a bounded length`() async throws {
        try await withServer { server in
            let (task, _) = try await server.store.create(newTask(1), by: "ada")
            for text in ["", "  ", String(repeating: "a", count: 65_537)] {
                let answer = try await server.api(
                    .POST, "/tasks/\(task.id)/instructions", json: "{\"text\": \"\(text)\"}")
                #expect(answer.status == 400)
            }
            #expect(try await server.store.task(task.id).details.instructions == [])
        }
    }

    @Test func `credentials are rotated where the backend has a key of its own; elsewhere it is said`() async throws {
        try await withServer { server in
            let answer = try await server.api(.POST, "/credentials/rotate")
            #expect(answer.status == 400 && answer.text.contains("has no key of its own"))
        }
    }

    @Test func `nothing of the API is shown without a token or a sign-in, and not with a wrong one`() async throws {
        try await withServer { server in
            let (task, _) = try await server.store.create(newTask(1), by: "ada")
            for path in ["/tasks", "/tasks/\(task.id)", "/projects", "/agents", "/credentials", "/activity"] {
                #expect(try await server.send(.GET, "/api/v1" + path).status == 401)
                let wrong = try await server.send(.GET, "/api/v1" + path, [("authorization", "Bearer wrong")])
                #expect(wrong.status == 401)
                #expect(try await server.api(.GET, path).status == 200)
            }
            #expect(try await server.get("/tasks").headers["location"] == ["/login"])
            #expect(try await server.get("/healthz").text == "ok\n")
            #expect(try await server.get("/readyz").status == 200)
        }
    }

    @Test func `a task is listed, shown, cancelled and retried`() async throws {
        try await withServer { server in
            let (task, _) = try await server.store.create(newTask(7), by: "ada")
            let client = OrchestratorClient(url: server.url, token: server.token)
            #expect(try await client.tasks(state: "queued", repository: nil, limit: 10).map(\.issue) == [7])
            #expect(try await client.tasks(state: "done", repository: nil, limit: 10).isEmpty)
            #expect(try await client.cancel(task.id).state == .cancelled)
            #expect(try await client.retry(task.id).state == .queued)
            #expect(try await client.activity(of: task.id).last?.actor == "administrator")
            #expect(
                try await server.api(.POST, "/tasks/\(task.id)/instructions", json: #"{"text": "more"}"#).status == 202)
            #expect(try await server.store.task(task.id).details.instructions == ["more"])
            #expect(try await server.api(.POST, "/tasks/\(task.id)/instructions", json: "[]").status == 400)
            let error = await #expect(throws: OrchestratorError.self) { try await client.task(999) }
            #expect(error?.code == .missing)
            #expect(try await server.api(.GET, "/tasks?state=lost").status == 400)
            #expect(try await server.api(.DELETE, "/tasks").status == 405)
            #expect(try await server.api(.GET, "/tasks/../../etc/passwd").status == 404)
        }
    }

    @Test func `a credential is set and removed, its value is shown nowhere, and lets go what waited for it`()
        async throws
    {
        try await withServer { server in
            let (task, _) = try await server.store.create(newTask(1), by: "ada")
            let held = try #require(try await server.store.claim(.by("a")).first)
            _ = try await server.store.advance(
                held, to: .blocked, until: nil, notBefore: nil,
                with: TaskStep([
                    Activity(task: held.id, kind: .transition, actor: "a", message: "no key", state: .blocked)
                ])
            ) { $0.failure = TaskFailure(.credential, "no key") }
            let client = OrchestratorClient(url: server.url, token: server.token)
            try await client.set(credential: "ANTHROPIC_API_KEY", to: "sk-secret-value")
            #expect(server.credentials.value(of: "ANTHROPIC_API_KEY") == Array("sk-secret-value".utf8))
            #expect(try await client.credentials() == ["ANTHROPIC_API_KEY"])
            #expect(try await server.store.task(task.id).state == .queued)
            let (cookie, _) = try await server.signIn()
            for path in ["/credentials", "/activity", "/settings", "/metrics", "/api/v1/activity"] {
                #expect(try await !server.get(path, cookie: cookie).text.contains("sk-secret-value"))
            }
            try await client.unset(credential: "ANTHROPIC_API_KEY")
            #expect(try await client.credentials().isEmpty)
            let error = await #expect(throws: OrchestratorError.self) {
                try await client.unset(credential: "ANTHROPIC_API_KEY")
            }
            #expect(error?.code == .missing)
            #expect(try await server.api(.PUT, "/credentials/a%2F..%2Fb", json: #"{"value": "x"}"#).status == 400)
        }
    }

    @Test func `followed, a task tells its output and its states until it waits for people`() async throws {
        try await withServer { server in
            let (task, _) = try await server.store.create(newTask(1), by: "ada")
            let client = OrchestratorClient(url: server.url, token: server.token)
            async let lines = {
                var text = ""
                try await client.follow(task.id) { text += $0 }
                return text
            }()
            try await server.store.append(output: "hello\n", of: task.id)
            try await server.store.apply(TaskEffect(.cancel(task.id, reason: "enough"), by: "ada"))
            #expect(try await lines == "hello\n")
        }
    }

    @Test func `of a long log nothing waits for the next change`() async throws {
        try await withServer { server in
            let (task, _) = try await server.store.create(newTask(1), by: "ada")
            for number in 1...1500 { try await server.store.append(output: "\(number)\n", of: task.id) }
            try await server.store.apply(TaskEffect(.cancel(task.id, reason: "enough"), by: "ada"))
            let client = OrchestratorClient(url: server.url, token: server.token)
            var text = ""
            try await client.follow(task.id) { text += $0 }
            #expect(text == (1...1500).map { "\($0)\n" }.joined())
        }
    }

    @Test func `the document describes every route of the API, and only those`() async throws {
        try await withServer { server in
            let text = try await server.send(.GET, "/api/v1/openapi.json").text
            let document = try JSONDecoder().decode(Document.self, from: Data(text.utf8))
            #expect(document.openapi == "3.1.0")
            #expect(document.paths.keys.allSatisfy { $0.hasPrefix("/api/v1/") })
            let operations = document.paths.values.flatMap(\.values)
            #expect(Set(operations.map(\.operationId)).count == operations.count && operations.count == 16)
        }
    }

    private struct Document: Decodable {
        struct Operation: Decodable { var operationId: String }
        var openapi: String
        var paths: [String: [String: Operation]]
    }
}
