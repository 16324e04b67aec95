import FoundationEssentials
import Orchestrator
import TestSupport
import Testing

/// What may not leave this host, whatever an agent committed.
@Suite struct PushPolicyTests {
    private func check(
        _ policy: PushPolicy = PushPolicy(), _ work: (GitRepository) async throws -> Void
    ) async throws -> TaskFailure? {
        try await withTemporaryDirectory { directory in
            let repository = try await GitRepository(directory + "/r")
            let base = try await repository.commit(["README.md": "x\n"])
            try await work(repository)
            let collected = CollectedWork(
                gitDirectory: repository.directory + "/.git", host: hostEnvironment,
                commit: try await repository.head(), base: base)
            do {
                try await policy.check(collected)
                return nil
            } catch let failure as TaskFailure {
                return failure
            }
        }
    }

    @Test func `ordinary work may be pushed`() async throws {
        let failure = try await check {
            try await $0.commit(["src/a.swift": "let key = \"sk-…\"\n", ".github/ISSUE_TEMPLATE.md": "x\n"])
            try await $0.commit(["README.md": nil])
        }
        #expect(failure == nil)
    }

    @Test(arguments: ["message", "body", "author", "committer"])
    func `a secret in what a commit says of itself is refused`(place: String) async throws {
        let secret = "ghp_" + String(repeating: "a", count: 36)
        let failure = try await check { repository in
            try await repository.commit(
                ["a.txt": "x\n"], place == "message" ? "use \(secret)" : place == "body" ? "x\n\n\(secret)" : "x")
            switch place {
            case "author":
                try await repository.git("commit", "-q", "--amend", "--no-edit", "--author", "\(secret) <a@b>")
            case "committer":
                try await repository.git("-c", "user.name=\(secret)", "commit", "-q", "--amend", "--no-edit")
            default: break
            }
        }
        #expect(failure?.kind == .refused && failure?.message.contains("a token of GitHub") == true)
        #expect(failure?.message.contains(secret) != true)
    }

    @Test(arguments: [
        ".github/workflows/ci.yml", ".GitHub/Workflows/ci.yml", ".gitlab-ci.yml", ".forgejo/workflows/x.yaml",
        ".github/workflows",
    ])
    func `a protected path is refused, also where a later commit takes it back`(path: String) async throws {
        let failure = try await check {
            try await $0.commit([path: "on: push\n"])
            try await $0.commit([path: nil, "a.txt": "x\n"])
        }
        #expect(failure?.kind == .refused)
        #expect(failure?.message.contains(path) == true)
    }

    @Test(arguments: [
        "ghs_29310_eyJhbGciOiJSUzI1NiJ9.AAAAAAAAAAAAAAAAAAAAAAAA.BBBB", "AKIAIOSFODNN7EXAMPLE",
        "-----BEGIN OPENSSH PRIVATE KEY-----", "sk-ant-oat01-ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    ])
    func `a secret is refused in any commit, and not repeated in the message`(secret: String) async throws {
        let failure = try await check {
            try await $0.commit(["conf/app.env": "KEY=\(secret)\n"])
            try await $0.commit(["conf/app.env": nil])
        }
        #expect(failure?.kind == .refused)
        #expect(failure?.message.contains("conf/app.env") == true)
        #expect(failure?.message.contains(secret) == false)
    }

    @Test func `work beyond the limits is refused`() async throws {
        var generator = SeededGenerator.ofTest()
        // Git packs what repeats.
        let random = String(
            (0..<40_000).map { _ in
                "abcdefghijklmnopqrstuvwxyz0123456789".randomElement(using: &generator) ?? "a"
            })
        let large = try await check(PushPolicy(sizeLimit: 4096)) { try await $0.commit(["a.txt": random]) }
        #expect(large?.message.contains("larger than") == true)
        let many = try await check(PushPolicy(commitLimit: 1)) {
            try await $0.commit(["a.txt": "1\n"])
            try await $0.commit(["a.txt": "2\n"])
        }
        #expect(many?.message.contains("more than 1 commits") == true)
    }

    @Test func `tokens of the old and the new form are redacted`() {
        let long = "ghs_29310_" + String(repeating: "a", count: 510)
        #expect(redacted("remote: \(long) denied") == "remote: [redacted] denied")
        #expect(redacted("nothing here") == "nothing here")
    }
}
