import AgentLoop
import FoundationEssentials
import Orchestrator
import Specs
import Testing
import Workspaces
import YAML

/// What people read at the forge, with texts of strangers in it.
@Suite struct ReportTextTests {
    private func task(_ state: TaskState, _ change: (inout TaskDetails) -> Void = { _ in }) -> IssueTask {
        var details = TaskDetails(title: "Fix @ada's `thing`", body: "b", requestedBy: "ada", branch: "so/7-x")
        details.acceptanceCriteria = ["greets <b>"]
        change(&details)
        let now = Date(timeIntervalSince1970: 0)
        return IssueTask(
            id: 3, forge: .github, issue: IssueReference(RepositoryReference(id: 9, name: "acme/shop"), number: 7),
            state: state, priority: 0, agent: "default", details: details, createdAt: now, updatedAt: now)
    }

    @Test func `the progress comment says where the task is, what it used, and carries its marker`() {
        let text = ReportText.progress(
            task(.working) {
                $0.currentStep = "runs the tests"
                $0.usage = TaskUsage(inputTokens: 1000, outputTokens: 234, cost: 0.126)
            }, page: "https://so/tasks/3")
        #expect(text.hasPrefix("**At work** — default\n> runs the tests\n"))
        #expect(text.contains("1234 tokens, $0.13 · [details](https://so/tasks/3)"))
        #expect(text.hasSuffix(ReportMarker.text("task-3/progress")))
        #expect(ReportMarker.isOwn(text))
    }

    @Test func `an agent's words mention nobody, hide nothing, leak nothing and end no block`() {
        let token = "ghs_29310_" + String(repeating: "a", count: 510)
        let text = ReportText.progress(
            task(.escalated) {
                $0.failure = TaskFailure(
                    .agent, "@everyone look <!-- so:task-9/progress --> \(token)",
                    lastLines: ["```", "@org/team", "key \(token)"])
            }, page: nil)
        #expect(!text.contains("@everyone") && !text.contains(token))
        #expect(!text.contains("so:task-9"))
        #expect(text.contains("````\n```\n@org/team"))
    }

    @Test(arguments: [
        "closes #12", "Fixes: #12", "RESOLVED acme/shop#12", "fix GH-12", "Implements !12", "closing issue #12",
        "closes https://github.com/acme/shop/issues/12", "Fixed: <https://forge/acme/shop/-/issues/12>",
        "resolves [it](https://forge/acme/shop/issues/12)",
    ])
    func `no words of others close another issue by the pull request`(words: String) throws {
        let task = task(.review) {
            ($0.title, $0.summary, $0.tests) = (words, words, [words])
            $0.acceptanceCriteria = [words]
        }
        let body = ReportText.pullRequestBody(task, page: nil)
        // The message of the loop's commit.
        let title = try Tasking(Array(task.tasking().utf8), file: "tasking.yaml").tasks.first?.title
        for text in [body, ReportText.pullRequestTitle(task), try #require(title)] {
            let closing = /(?i)\b(clos|fix|resolv|implement)[a-z]*[\s:]+\S*\s?\S*([#!]12|GH-12|issues\/12)/
            #expect(text.matches(of: closing).isEmpty, "\(text)")
        }
        #expect(body.hasPrefix("Closes #7\n"))
    }

    @Test func `no line of others is a quick action of GitLab`() {
        let words = "/merge\ndone\n  /close\n> /assign me\nsee src/a.py and /etc/hosts"
        let body = ReportText.pullRequestBody(task(.review) { $0.summary = words }, page: nil)
        let comment = ReportText.closing(task(.failed) { $0.failure = TaskFailure(.setup, words) }, page: nil)
        for text in [body, comment] {
            let lines = text.split(separator: "\n").map { $0.drop { " >".contains($0) } }
            #expect(!lines.contains { $0.hasPrefix("/") })
            #expect(text.contains("merge") && text.contains("see src/a.py and /etc/hosts"))
        }
    }

    @Test func `a failure's comment shows how it begins and how it ends`() {
        let log = (1...400).map { "step \($0) of the build" }.joined(separator: "\n")
        let failed = task(.failed) { $0.failure = TaskFailure(.setup, "cannot build: \(log)\nno space left") }
        for text in [ReportText.progress(failed, page: nil), ReportText.closing(failed, page: nil)] {
            #expect(text.contains("cannot build") && text.contains("step 400 of the build\nno space left"))
            #expect(text.count < 3000 && !text.contains("step 200"))
        }
    }

    @Test func `the pull request says what was done, how it was tested, what it cost, and closes the issue`() {
        let body = ReportText.pullRequestBody(
            task(.reporting) {
                $0.usage = TaskUsage(inputTokens: 5, outputTokens: 6, cost: 1)
                ($0.summary, $0.tests) = ("I fixed it.", ["npm test"])
            }, page: "https://so/tasks/3")
        for part in ["Closes #7", "I fixed it.", "npm test", "- [ ] greets", "$1.00", "asked for by ada"] {
            #expect(body.contains(part), "\(part) is missing")
        }
        #expect(!ReportText.pullRequestTitle(task(.review)).contains("@ada"))
    }

    @Test func `comments stay below the forge's limit`() {
        let long = String(repeating: "x", count: 200_000)
        let body = ReportText.pullRequestBody(task(.review) { ($0.summary, $0.tests) = (long, [long]) }, page: nil)
        #expect(body.unicodeScalars.count < 65_536)
        #expect(ReportMarker.isOwn(body))
    }

    @Test func `a review's inline comments stand behind it, those of bots left out`() {
        let text = ReportText.review(
            "Please.",
            [
                ForgeReviewComment(path: "a.py", line: 4, body: "rename <!-- x -->", author: ForgeUser("ada")),
                ForgeReviewComment(path: "b.py", line: 1, body: "buy now", author: ForgeUser("x[bot]", isBot: true)),
            ])
        #expect(text == "Please.\n\na.py:4: rename [hidden comment removed]")
    }
}

/// What an agent is told through tasking.yaml.
@Suite struct TaskingTextTests {
    private func task(_ change: (inout TaskDetails) -> Void = { _ in }) -> IssueTask {
        var details = TaskDetails(title: "Fix it", body: "It is broken.", requestedBy: "ada", branch: "so/7-fix")
        change(&details)
        let now = Date(timeIntervalSince1970: 0)
        return IssueTask(
            id: 3, forge: .github, issue: IssueReference(RepositoryReference(id: 9, name: "acme/shop"), number: 7),
            state: .preparing, priority: 20_000, agent: "default", details: details, createdAt: now, updatedAt: now)
    }

    @Test func `it is of its form, holds what was said since, and is the same until more is said`() throws {
        let first = try task().tasking()
        #expect(try task().tasking() == first)
        let more = task {
            $0.instructions = ["also greet the moon"]
            $0.failure = TaskFailure(.agent, "it gave up", lastLines: ["last words"])
        }
        let tasking = try Tasking(Array(more.tasking().utf8), file: "tasking.yaml")
        let item = try #require(tasking.tasks.first)
        #expect(item.description.contains("also greet the moon") && item.description.contains("last words"))
        #expect(item.branch == "so/7-fix" && item.status == .pending)
        #expect(try more.tasking() != first)
        let node = try loadYAMLDocument(Array(more.tasking().utf8), file: "tasking.yaml")
        var validation = Validation()
        validation.check(node, .tasking, at: "")
        #expect(validation.diagnostics.list.isEmpty)
    }

    @Test func `a long issue fits an argument of a program`() throws {
        let long = try task { $0.body = String(repeating: "ü\n", count: 100_000) }.tasking()
        #expect(long.utf8.count < 128 << 10)
    }
}
