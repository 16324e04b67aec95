import FoundationEssentials
import Orchestrator
import TestSupport
import Testing

/// Where the work of a task goes: to its pull request, as long as anybody looks at that one.
@Suite struct PublishTests {
    /// A task of a forge with a first pull request, and what publishes more.
    private struct Published {
        let forge: TestForge
        let reporter: ForgeReporter
        let clone: GitRepository
        let base: String
        var task: IssueTask

        /// Commits once more and brings it to the forge.
        func again(_ text: String, _ message: String = "change") async throws -> TaskPullRequest {
            try await clone.commit(["greeting": text], message)
            return try await publish()
        }

        /// Brings it to the forge as it is.
        func publish() async throws -> TaskPullRequest {
            let work = CollectedWork(
                gitDirectory: clone.directory + "/.git", host: hostEnvironment, commit: try await clone.head(),
                base: base)
            return try await reporter.publish(task, work)
        }

        mutating func take(_ pull: TaskPullRequest) {
            task.details.pullRequest = pull
            task.details.branch = pull.branch ?? task.details.branch
        }
    }

    private func published(
        _ kind: ForgeKind, message: String = "change", _ body: (Published) async throws -> Void
    ) async throws {
        try await withForge(kind) { forge in
            try await withStore(.sqlite) { open in
                let (repository, store) = (try await forge.repository(), try await open())
                let (task, _) = try await store.create(newTask(7, in: repository), by: "ada")
                let clone = try await forge.clone(repository)
                var first = Published(
                    forge: forge, reporter: ForgeReporter(forge: forge.client(), store: store, patience: 0),
                    clone: clone, base: try await clone.head(), task: task)
                first.take(try await first.again("hello\n", message))
                try await body(first)
            }
        }
    }

    @Test(arguments: ForgeKind.allCases)
    func `more work goes to the open pull request, and its branch is made again where it was deleted`(
        kind: ForgeKind
    ) async throws {
        try await published(kind) { stage in
            let bare = "\(stage.forge.root)/acme/shop.git"
            try await GitRepository.git(in: bare, ["branch", "-D", stage.task.details.branch])
            let second = try await stage.again("hello world\n")
            #expect(second.number == stage.task.details.pullRequest?.number)
            #expect(await stage.forge.state.pulls("acme/shop").count == 1)
            #expect(
                try await stage.forge.branch(stage.task.details.branch, of: stage.task.issue.repository) == second.head)
        }
    }

    @Test(arguments: ForgeKind.allCases)
    func `a follow-up that was cut short after its push is brought again`(kind: ForgeKind) async throws {
        try await published(kind) { stage in
            // The task was never told of it: its replica was killed.
            _ = try await stage.again("hello world\n")
            let last = try await stage.again("hello moon\n")
            #expect(
                try await stage.forge.branch(stage.task.details.branch, of: stage.task.issue.repository) == last.head)
        }
    }

    @Test(arguments: ForgeKind.allCases, [true, false])
    func `work after the pull request was merged or closed goes to another one, by another branch`(
        kind: ForgeKind, isMerged: Bool
    ) async throws {
        try await published(kind) { first in
            var stage = first
            for _ in 0..<2 {
                let old = try #require(stage.task.details.pullRequest)
                let place = await stage.forge.state.pulls("acme/shop").count - 1
                await stage.forge.state.change("acme/shop") {
                    $0.pulls[place].isOpen = false
                    $0.pulls[place].isMerged = isMerged
                }
                let next = try await stage.again("round \(place)\n")
                let again = try await stage.again("once more \(place)\n")
                #expect(next.number != old.number && again.number == next.number)
                #expect(next.branch == "\(first.task.details.branch)_after-\(old.number)")
                #expect(try await stage.forge.branch(old.branch ?? "", of: stage.task.issue.repository) == old.head)
                #expect(await stage.forge.state.pulls("acme/shop").last?.head == next.branch)
                stage.take(again)
            }
            #expect(await stage.forge.state.pulls("acme/shop").count == 3)
        }
    }

    @Test(arguments: ForgeKind.allCases)
    func `commits that close issues of others are pushed, and named where people decide`(kind: ForgeKind) async throws {
        try await published(kind, message: "greet\n\nCloses #12, fixes #7") { first in
            var stage = first
            #expect(stage.task.details.pullRequest?.effects?.map(\.names) == [["#12"]])
            let body = await stage.forge.state.pulls("acme/shop").first?.body ?? ""
            #expect(body.hasPrefix("Closes #7\n") && body.contains("Warning") && !body.contains("#12"), "\(body)")
            // A follow-up opens no other pull request: its comment says it.
            stage.take(try await stage.again("hello world\n", "fixes acme/other#3"))
            #expect(stage.task.details.pullRequest?.effects?.map(\.names) == [["#12"], ["acme/other#3"]])
        }
    }

    @Test func `a push that arrived unheard is known for the task's own, however often the next ones are cut short`()
        async throws
    {
        try await published(.github) { stage in
            let bare = "\(stage.forge.root)/acme/shop.git"
            let hook = bare + "/hooks/pre-receive"
            let branch = stage.task.details.branch
            try write("#!/bin/sh\nexit 1\n", to: hook, mode: 0o755)
            await #expect(throws: TaskFailure.self) { try await stage.again("unheard\n") }
            try await GitRepository.git(in: bare, ["fetch", stage.clone.directory, "+HEAD:refs/heads/\(branch)"])
            await #expect(throws: TaskFailure.self) { try await stage.again("later\n") }
            for _ in 0..<25 {
                await #expect(throws: TaskFailure.self) { try await stage.publish() }
            }
            try FileManager.default.removeItem(atPath: hook)
            let pull = try await stage.publish()
            #expect(try await stage.forge.branch(branch, of: stage.task.issue.repository) == pull.head)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `whoever lost a task writes down nothing of its push`(kind: StoreKind) async throws {
        try await withForge(.github) { forge in
            try await withStore(kind) { open in
                let (repository, store) = (try await forge.repository(), try await open())
                var (task, _) = try await store.create(newTask(7, in: repository), by: "ada")
                let act = "task-\(task.id)/branch"
                _ = try await store.begin(act: act, task: task.id, patience: 0)
                try await store.finish(act: act, result: "first", of: task)
                task.fence -= 1
                let conflict = await #expect(throws: OrchestratorError.self) {
                    try await store.finish(act: act, result: "second", of: task)
                }
                #expect(conflict?.code == .conflict)
                #expect(try await store.begin(act: act, task: task.id, patience: 0).result == "first")
            }
        }
    }
}
