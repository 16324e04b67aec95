import FoundationEssentials
import Orchestrator
import SystemCrypto
import Testing

/// Signatures and payloads as GitHub sends them.
@Suite struct WebhookTests {
    private struct Signatures: Decodable {
        var vectors: [Vector]

        struct Vector: Decodable {
            var name: String
            var secret: String
            var content_type: String?
            var body_base64: String
            var x_hub_signature_256: String
            var valid: Bool
        }
    }

    private func recorded(_ path: String) throws -> Data {
        try Data(contentsOf: URL(filePath: #filePath.replacing("Forge/WebhookTests.swift", with: "Recorded/\(path)")))
    }

    private func github(_ secret: String) -> GitHub {
        GitHub(api: "https://api.github.com", secret: Array(secret.utf8), authentication: .token("t"))
    }

    @Test func `signatures of GitHub's form are taken, and all others refused`() throws {
        let vectors = try JSONDecoder().decode(Signatures.self, from: recorded("github/signatures.json")).vectors
        #expect(vectors.contains { $0.valid } && vectors.contains { !$0.valid })
        for vector in vectors {
            let headers = [
                "x-hub-signature-256": vector.x_hub_signature_256, "x-github-delivery": "d-1",
                "x-github-event": "push", "content-type": vector.content_type ?? "application/json",
            ].filter { !$0.value.isEmpty }
            let request = WebhookRequest(headers: headers, body: try #require(base64Decoded(vector.body_base64)))
            do {
                _ = try github(vector.secret).verify(request)
                #expect(vector.valid, "\(vector.name) was taken")
            } catch let error as OrchestratorError {
                #expect(!vector.valid && error.code == .notPermitted, "\(vector.name): \(error)")
            }
        }
    }

    @Test(arguments: [
        ("failure", ForgeChecks.Conclusion.failure), ("error", .failure), ("success", .success), ("pending", .pending),
    ])
    func `a commit's status is a check of the branches that stand at it`(
        state: String, conclusion: ForgeChecks.Conclusion
    ) throws {
        // https://docs.github.com/en/webhooks/webhook-events-and-payloads#status
        let body = """
            {"id": 214015194, "sha": "6113728f", "name": "acme/shop", "target_url": "https://ci.example/1", "context": "ci/old",
            "state": "\(state)", "branches": [{"name": "so/7-fix", "commit": {"sha": "6113728f"}, "protected": false},
            {"name": "main", "commit": {"sha": "f95f852b"}, "protected": true}], "repository": {"id": 1, "full_name": "acme/shop"},
            "sender": {"login": "ci", "type": "User"}}
            """
        let event = try github("x").parse(
            Delivery(forge: .github, id: "d-1", event: "status", body: Array(body.utf8)))
        guard case .checked(let repository, let checks) = event.content else {
            Issue.record("the status was not understood")
            return
        }
        #expect(repository.name == "acme/shop" && checks.commit == "6113728f" && checks.branches == ["so/7-fix"])
        #expect(checks.conclusion == conclusion)
        #expect(checks.failures == (conclusion == .failure ? ["ci/old: https://ci.example/1"] : []))
    }

    @Test func `every recorded delivery is verified and understood`() throws {
        struct Deliveries: Decodable {
            var secret: String
            var deliveries: [Entry]

            struct Entry: Decodable {
                var file: String
                var headers: [String: String]
            }
        }
        let all = try JSONDecoder().decode(Deliveries.self, from: recorded("github/deliveries.json"))
        let forge = github(all.secret)
        var understood: [String: ForgeEvent.Content] = [:]
        for entry in all.deliveries {
            let headers = Dictionary(entry.headers.map { ($0.key.lowercased(), $0.value) }) { $1 }
            let request = WebhookRequest(headers: headers, body: Array(try recorded("github/webhooks/\(entry.file)")))
            let delivery = try forge.verify(request)
            #expect(delivery.id == headers["x-github-delivery"] && delivery.event == headers["x-github-event"])
            understood[entry.file] = try forge.parse(delivery).content
        }
        #expect(understood.count >= 40)
        check(understood)
    }

    private func check(_ understood: [String: ForgeEvent.Content]) {
        guard case .labeled(let issue, let labels) = understood["issues.labeled.agent.json"] else {
            Issue.record("issues.labeled.agent.json was not understood")
            return
        }
        #expect(labels == ["agent"] && issue.reference.number == 1 && issue.labels.contains("agent"))
        #expect(issue.reference.repository == RepositoryReference(id: 186_853_002, name: "Codertocat/Hello-World"))
        guard case .commented(_, _, _, let isPullRequest) = understood["issue_comment.created.on-pr.json"] else {
            Issue.record("issue_comment.created.on-pr.json was not understood")
            return
        }
        #expect(isPullRequest)
        guard case .reviewed(let pull, let review) = understood["pull_request_review.submitted.changes_requested.json"]
        else {
            Issue.record("the review was not understood")
            return
        }
        #expect(pull.headBranch == "changes" && review.verdict == .changesRequested && review.id == 237_895_671)
        guard case .checked(_, let checks) = understood["check_suite.completed.failure.json"] else {
            Issue.record("the checks were not understood")
            return
        }
        #expect(checks.conclusion == .failure && checks.branches == ["changes"])
        guard case .pullRequestClosed(let merged) = understood["pull_request.closed.merged.json"] else {
            Issue.record("the merge was not understood")
            return
        }
        #expect(merged.isMerged)
        for file in [
            "issue_comment.edited.json", "issues.opened.json", "push.json", "check_run.completed.failure.json",
        ] {
            guard case .other = understood[file] else {
                Issue.record("\(file) leads to something")
                continue
            }
        }
    }

    @Test func `a body beyond GitHub's limit is not even hashed, and one that is no JSON is an error`() throws {
        let forge = github("s")
        let large = [UInt8](repeating: 32, count: (25 << 20) + 1)
        let error = #expect(throws: OrchestratorError.self) {
            try forge.verify(WebhookRequest(headers: [:], body: large))
        }
        #expect(error?.code == .invalid)
        let broken = Delivery(forge: .github, id: "d", event: "issues", body: Array("{\"action\":7".utf8))
        #expect(throws: OrchestratorError.self) { try forge.parse(broken) }
    }

    @Test func `a review of a fork's branch leads to nothing, whatever the branch is called`() throws {
        let data = try recorded("github/webhooks/pull_request_review.submitted.changes_requested.json")
        let text = String(decoding: data, as: UTF8.self)
        // The first of the two repositories is that of the head.
        let head = try #require(text.firstRange(of: "\"head\""))
        let place = try #require(text[head.upperBound...].firstRange(of: "\"id\": 186853002"))
        let forked = text[..<place.lowerBound] + "\"id\": 1" + text[place.upperBound...]
        let event = try github("s").parse(
            Delivery(forge: .github, id: "d", event: "pull_request_review", body: Array(forked.utf8)))
        guard case .other = event.content else {
            Issue.record("a fork's review was taken")
            return
        }
    }

    @Test func `Gitea signs in bare hexadecimal, and GitLab sends its secret or signs`() throws {
        let (secret, body) = (TestForge.secret, Array("{}".utf8))
        let gitea = Gitea(api: "https://x/api/v1", secret: secret, token: "t")
        var headers = [
            "x-gitea-delivery": "d", "x-gitea-event": "issues",
            "x-gitea-signature": hmacSHA256Hex(key: secret, message: body),
        ]
        #expect(try gitea.verify(WebhookRequest(headers: headers, body: body)).forge == .gitea)
        headers["x-gitea-signature"] = hmacSHA256Hex(key: [1], message: body)
        #expect(throws: OrchestratorError.self) { try gitea.verify(WebhookRequest(headers: headers, body: body)) }
        let gitlab = GitLab(api: "https://x/api/v4", secret: secret, token: "t")
        var plain = ["x-gitlab-event": "Issue Hook", "idempotency-key": "k"]
        #expect(throws: OrchestratorError.self) { try gitlab.verify(WebhookRequest(headers: plain, body: body)) }
        plain["x-gitlab-token"] = String(decoding: secret, as: UTF8.self)
        #expect(try gitlab.verify(WebhookRequest(headers: plain, body: body)).id == "k")
        let right = base64(hmacSHA256(key: secret, message: Array("w.5.".utf8) + body))
        var signed = [
            "x-gitlab-event": "Issue Hook", "webhook-id": "w", "webhook-timestamp": "5",
            "webhook-signature": "v1,\(right)",
        ]
        #expect(try gitlab.verify(WebhookRequest(headers: signed, body: body)).id == "w")
        signed["webhook-timestamp"] = "6"
        #expect(throws: OrchestratorError.self) { try gitlab.verify(WebhookRequest(headers: signed, body: body)) }
    }

    @Test func `labels of Gitea and GitLab are told as they were added`() throws {
        let gitea = Gitea(api: "https://x/api/v1", secret: [], token: "t")
        let body = """
            {"action":"label_updated","issue":{"number":4,"title":"t","state":"open","labels":[{"id":1,"name":"so"}]},
            "changes":{"added_labels":[{"id":1,"name":"so"}]},"repository":{"id":9,"full_name":"a/b"},
            "sender":{"login":"ada"}}
            """
        let event = try gitea.parse(Delivery(forge: .gitea, id: "d", event: "issues", body: Array(body.utf8)))
        guard case .labeled(_, let labels) = event.content else {
            Issue.record("Gitea's label was not understood")
            return
        }
        #expect(labels == ["so"] && event.sender == ForgeUser("ada"))
        let hook = """
            {"object_kind":"issue","user":{"username":"ada"},"project":{"id":9,"path_with_namespace":"a/b/c"},
            "object_attributes":{"id":1,"iid":4,"title":"t","state":"opened","action":"update"},
            "labels":[{"title":"so"},{"title":"x"}],
            "changes":{"labels":{"previous":[{"title":"x"}],"current":[{"title":"x"},{"title":"so"}]}}}
            """
        let gitlab = GitLab(api: "https://x/api/v4", secret: [], token: "t")
        let other = try gitlab.parse(Delivery(forge: .gitlab, id: "d", event: "Issue Hook", body: Array(hook.utf8)))
        guard case .labeled(let issue, let added) = other.content else {
            Issue.record("GitLab's label was not understood")
            return
        }
        #expect(added == ["so"] && issue.reference.repository.name == "a/b/c")
    }
}
