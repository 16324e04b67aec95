import FoundationEssentials
import Orchestrator
import TestSupport
import Testing

/// What an agent's own commits would do to issues that are not its task's.
@Suite struct ForeignEffectTests {
    private func task(_ forge: ForgeKind) -> IssueTask {
        var details = TaskDetails(title: "Fix it", body: "b", requestedBy: "ada", branch: "so/7-fix-it")
        details.issueURL = "https://forge/acme/shop/-/issues/7"
        let now = Date(timeIntervalSince1970: 0)
        return IssueTask(
            id: 3, forge: forge, issue: IssueReference(RepositoryReference(id: 9, name: "acme/shop"), number: 7),
            state: .reporting, priority: 0, agent: "default", details: details, createdAt: now, updatedAt: now)
    }

    /// Of commits with these messages.
    private func effects(_ messages: [String], _ forge: ForgeKind = .github) async throws -> [ForeignEffect] {
        try await withTemporaryDirectory { directory in
            let repository = try await GitRepository(directory + "/r")
            let base = try await repository.commit(["README.md": "x\n"], "closes #1")
            for (number, message) in messages.enumerated() {
                try await repository.commit(["a.txt": "\(number)\n"])
                // Longer than an argument may be.
                try write(message, to: directory + "/message")
                try await repository.git("commit", "-q", "--amend", "-F", directory + "/message")
            }
            let work = CollectedWork(
                gitDirectory: repository.directory + "/.git", host: hostEnvironment,
                commit: try await repository.head(), base: base)
            return try await ForeignEffect.all(in: work, of: task(forge))
        }
    }

    @Test(arguments: [
        ("closes #12", ["#12"]), ("Fix the thing\n\nFIXES: acme/other#3, and #4", ["acme/other#3", "#4"]),
        ("resolved GH-12", ["GH-12"]), ("Implements !12", ["!12"]),
        ("x (closing issues #1, #2 and g/s/p#3)", ["#1", "#2", "g/s/p#3"]),
        ("Closes\n#12", ["#12"]), ("reopen #12", ["#12"]),
        ("fixes https://forge/acme/shop/issues/12", ["https://forge/acme/shop/issues/12"]),
        ("fixed: <https://forge/acme/shop/-/issues/12>", ["https://forge/acme/shop/-/issues/12"]),
        ("fixes [it](https://forge/acme/other/issues/7)", ["https://forge/acme/other/issues/7"]),
        ("close #7, close #70", ["#70"]), ("closes other/shop#7", ["other/shop#7"]),
    ])
    func `what would be closed is named as it is written`(message: String, names: [String]) async throws {
        let found = try await effects(["good", message])
        #expect(found.map(\.names) == [names], "\(found)")
    }

    @Test(arguments: [
        "closes #7", "Fixes: acme/shop#7", "resolves ACME/Shop#7.", "gh-7: fix it, fixes GH-7",
        "see #12 and acme/other#3",
        "fixes https://forge/acme/shop/issues/7", "prefix #12", "fix the 12 tests of issue 12",
        "use /merge in src/close/1",
        "/close",
    ])
    func `the task's own issue may be closed, and others named`(message: String) async throws {
        #expect(try await effects([message]) == [])
    }

    @Test func `every commit of the work is looked at, no other, and GitLab's quick actions on GitLab`() async throws {
        let messages = ["one\n\ncloses #12", "two", "three\n\n  /merge\n/close\n/etc/hosts", "fixes #12; closes #12"]
        let found = try await effects(messages, .gitlab)
        #expect(found.map(\.names) == [["#12"], ["/merge", "/close"], ["#12"]], "\(found)")
        #expect(Set(found.map(\.commit)).count == 3 && found.allSatisfy { $0.commit.count >= 7 })
        #expect(try await effects(messages).map(\.names) == [["#12"], ["#12"]])
    }

    @Test(.timeLimit(.minutes(10))) func `a message that nobody reads is searched in time, or named`() async throws {
        let words = String(repeating: "fix:http://", count: 300) + String(repeating: " ", count: 100_000) + "#12"
        let long = String(repeating: "a", count: 5000)
        let found = try await effects([String(repeating: words + "\n", count: 10), "x\n\n\(long) closes #12"])
        #expect(found.last?.names.first?.contains("more than 4000 bytes") == true, "\(found)")
    }

    @Test func `they are told to people, and do nothing by being told`() {
        let effects = [ForeignEffect(commit: "abc1234", names: ["#12", "acme/other#3", "/merge", "@ada#1"])]
        var task = task(.gitlab)
        task.details.pullRequest = TaskPullRequest(number: 13, url: "u", head: "h", effects: effects)
        var review = task
        review.state = .review
        for text in [
            ReportText.pullRequestBody(task, effects, page: nil), ReportText.progress(task, page: nil),
            ReportText.closing(review, page: nil),
        ] {
            #expect(text.contains("abc1234") && text.contains("Warning"), "\(text)")
            #expect(!text.contains("#12") && !text.contains("other#3") && !text.contains("@ada"))
        }
        task.details.pullRequest?.effects = nil
        #expect(!ReportText.progress(task, page: nil).contains("Warning"))
    }
}
