import FoundationEssentials
import Orchestrator
import Synchronization
import TestSupport
import Testing

/// From a label to a merge, unattended, with nothing but the model and the forge's API of the tests' own.
@Suite(.pods, .sessionRuntime, .debian, .agentCLIs, .serialized) struct WholeWayScenario {
    private static let script: [ModelServer.Step] = [
        .shell("sleep 2; printf 'hello\\n' >greeting && test -s greeting; env >/tmp/environment"),
        .text("I fixed the greeting."),
        .shell("printf 'hello world\\n' >greeting"), .text("It greets the world."),
        .shell("printf 'hello world!\\n' >greeting"), .text("The check is repaired."),
        .shell("printf 'moon\\n' >moon"), .text("It greets the moon."),
    ]

    @Test func `a label becomes a pull request, a review a follow-up, a failed check a repair, and a merge cleans`()
        async throws
    {
        try await withOrchestrator(Self.script) { scenario in
            await scenario.open(7, "Fix the greeting", "See `greeting` and README.md.\n\n- [ ] it says hello")
            try await scenario.serving { _ in
                _ = try await scenario.so("credentials", "set", "ANTHROPIC_API_KEY", input: "sk-real-credential-1")
                try await scenario.webhooks.label(7, by: "ada")
                let first = try await scenario.eventuallyIn(.review, task: 7, rounds: 1)
                try await published(first, scenario)

                try await scenario.webhooks.comment("@so status", on: 7, by: "ada")
                try await eventually("the status is told") {
                    await scenario.forge.state.comments("acme/shop").count == 3
                }

                await scenario.forge.state.change("acme/shop") {
                    $0.reviews = [
                        .init(
                            id: 55, pull: $0.pulls[0].number, state: "CHANGES_REQUESTED", body: "Nearly.",
                            author: "ada",
                            comments: [("greeting", 1, "greet the world")])
                    ]
                }
                try await scenario.webhooks.review(55, "changes_requested", by: "ada")
                let second = try await scenario.eventuallyIn(.review, task: 7, rounds: 2)
                #expect(second.session == first.session && second.pullRequest == first.pullRequest)
                #expect(try await scenario.shown("greeting") == "hello world")
                #expect(try await scenario.tasking(of: second.session).contains("greet the world"))

                let head = try await scenario.forge.branch(second.branch, of: scenario.repository)
                await scenario.forge.state.change("acme/shop") { $0.checks[head] = [("unit tests", "failure")] }
                try await scenario.webhooks.checks(head, "failure", on: second.branch)
                let third = try await scenario.eventuallyIn(.review, task: 7, rounds: 3)
                #expect(try await scenario.shown("greeting") == "hello world!")
                #expect(third.costUSD > first.costUSD)

                await scenario.forge.state.change("acme/shop") { repository in
                    repository.pulls[0].isOpen = false
                    repository.pulls[0].isMerged = true
                }
                try await scenario.webhooks.merge(by: "ada")
                _ = try await scenario.eventuallyIn(.done, task: 7)
                try await scenario.webhooks.comment("@so greet the moon too", on: 7, by: "ada")
                let last = try await scenario.eventuallyIn(.review, task: 7, rounds: 5)
                try await anew(last, after: first, scenario)
                let session = try #require(first.session)
                try await eventually(within: 120, "its session is taken down") {
                    try await TestRuntime.named(session) == []
                }
            }
            for session in scenario.sessions { await TestRuntime.removeAll(named: session) }
        }
    }

    /// What was asked for after the merge: another session from the default branch, another branch, another pull request.
    private func anew(_ task: TaskView, after first: TaskView, _ scenario: OrchestratorScenario) async throws {
        #expect(task.session != first.session && task.pullRequest != first.pullRequest)
        #expect(task.branch == "\(first.branch)_after-\(first.pullRequest ?? 0)")
        #expect(await scenario.forge.state.pulls("acme/shop").map(\.isOpen) == [false, true])
        let bare = "\(scenario.forge.root)/\(scenario.repository.name).git"
        #expect(try await GitRepository.git(in: bare, ["show", "\(task.branch):moon"]) == "moon")
        #expect(try await GitRepository.git(in: bare, ["rev-list", "--count", "main..\(task.branch)"]) == "1")
    }

    /// What is to be there after the first run.
    private func published(_ task: TaskView, _ scenario: OrchestratorScenario) async throws {
        #expect(try await scenario.shown("greeting") == "hello")
        let pulls = await scenario.forge.state.pulls("acme/shop")
        #expect(pulls.count == 1 && pulls.first?.head == "so/7-fix-the-greeting")
        let body = pulls.first?.body ?? ""
        for part in ["Closes #7", "I fixed the greeting.", "test -s greeting", "it says hello"] {
            #expect(body.contains(part), "\(body)")
        }
        try await eventually("both comments are there") {
            await scenario.forge.state.comments("acme/shop").count == 2
        }
        let comments = await scenario.forge.state.comments("acme/shop")
        #expect(comments.first?.edits ?? 0 >= 1 && comments.first?.body.contains("Waiting for review") == true)
        #expect(task.costUSD > 0 && task.inputTokens > 0)
        let requests = try scenario.model.requests()
        #expect(requests.allSatisfy { $0.contains("sk-real-credential-1") })
        let tasking = try await scenario.tasking(of: task.session)
        // The paths that are there, and no others.
        #expect(tasking.contains("- README.md") && !tasking.contains("- greeting"), "\(tasking)")
        let activity = try await scenario.client().activity(of: task.id)
        #expect(activity.contains { $0.kind == .progress && $0.message.contains("printf") }, "\(activity)")
        let log = try await scenario.so("orchestrator", "logs", "\(task.id)")
        #expect(log.output.contains("I fixed the greeting."))
        let environment = try await scenario.inside(task.session, "cat", "/tmp/environment")
        #expect(!environment.isEmpty && !environment.contains("sk-real-credential-1"))
        #expect(!environment.contains(TestForge.token))
    }

    @Test
    func `an agent with a loop of its own writes its report itself, and a malformed version is refused with its line`()
        async throws
    {
        try await withOrchestrator([]) { scenario in
            try scenario.declareOwn(
                """
                id=$(grep -o '[0-9]*-[0-9]*-[0-9]*-[0-9]*' .so/tasking.yaml | head -n 1)
                say() { printf "$1" >.so/new && mv .so/new .so/report.yaml; sleep 1; }
                begin='version: 1\nagent_type: own\nagent_id: a\nupdated_at: "2026-11-23T12:00:00Z"\nstatus: working\ntasks:\n'
                say "$begin  \"$id\": {status: working, current_step: it thinks}\n"
                sleep 3
                say 'version: 1\nstatus: [\n'
                echo made >made
                say "$begin  \"$id\": {status: completed, summary: I made it, tests: [sh -n made]}\n"
                """)
            await scenario.open(7, "Fix the greeting", "Do.")
            try await scenario.serving { _ in
                try await scenario.webhooks.label(7, by: "ada")
                let task = try await scenario.eventuallyIn(.review, task: 7)
                let activity = try await scenario.client().activity(of: task.id)
                #expect(activity.contains { $0.kind == .progress && $0.message == "it thinks" }, "\(activity)")
                #expect(activity.contains { $0.kind == .warning && $0.message.contains(".so/report.yaml:") })
                #expect(try await scenario.shown("made") == "made")
                let body = await scenario.forge.state.pulls("acme/shop").first?.body ?? ""
                #expect(body.contains("I made it") && body.contains("sh -n made"))
            }
            for session in scenario.sessions { await TestRuntime.removeAll(named: session) }
        }
    }

    @Test func `an agent whose pod is killed goes on from its checkout`() async throws {
        try await withOrchestrator([]) { scenario in
            try scenario.declareOwn(
                """
                id=$(grep -o '[0-9]*-[0-9]*-[0-9]*-[0-9]*' .so/tasking.yaml | head -n 1)
                if [ ! -e half ]; then echo half >half; touch /tmp/at-1; exec sleep 1000; fi
                cat half >made; rm half
                printf "version: 1\nagent_type: own\nagent_id: a\nupdated_at: '2026-11-23T12:00:00Z'\nstatus: ended\ntasks:\n  \"$id\": {status: completed}\n" >.so/report.yaml
                """)
            await scenario.open(7, "Fix the greeting", "Do.")
            try await scenario.serving { _ in
                try await scenario.webhooks.label(7, by: "ada")
                try await scenario.agentWaits(7, at: 1)
                let working = try await scenario.eventuallyIn(.working, task: 7)
                let session = try #require(working.session)
                try await TestRuntime.killAgent(of: session)
                let done = try await scenario.eventuallyIn(.review, task: 7)
                #expect(done.session == working.session)
                #expect(try await scenario.shown("made") == "half")
                #expect(await scenario.forge.state.pulls("acme/shop").count == 1)
            }
            for session in scenario.sessions { await TestRuntime.removeAll(named: session) }
        }
    }

    @Test func `a task is stopped, goes on with another agent, outlives its server, and ends with its issue`()
        async throws
    {
        // A CLI may refuse a long sleep.
        func waits(_ number: Int) -> ModelServer.Step {
            .shell("touch /tmp/at-\(number); while [ ! -e /tmp/go ]; do sleep 0.1; done; printf x >made")
        }
        let script = [waits(1), waits(2), .text("Done."), waits(3)]
        try await withOrchestrator(script) { scenario in
            await scenario.open(7, "Make it", "Do.")
            try await scenario.serving { _ in
                _ = try await scenario.so("credentials", "set", "ANTHROPIC_API_KEY", input: "sk-real-credential-1")
                try await scenario.webhooks.label(7, by: "ada")
                try await scenario.agentWaits(7, at: 1)
                try await scenario.webhooks.comment("@so stop", on: 7, by: "ada")
                let stopped = try await scenario.eventuallyIn(.cancelled, task: 7)
                let session = try #require(stopped.session)
                try await eventually(within: 60, "its pods are stopped") {
                    try await TestRuntime.pods(of: session) == []
                }
                try await scenario.webhooks.comment("@so use second", on: 7, by: "ada")
                try await scenario.webhooks.comment("@so retry", on: 7, by: "ada")
                try await scenario.agentWaits(7, at: 2)
            }
            // The agent is at work still; a server that was killed, and one after it.
            let task = try await scenario.killing()
            try await scenario.serving { _ in
                try await scenario.inside(task.session, "touch", "/tmp/go")
                let done = try await scenario.eventuallyIn(.review, task: 7)
                #expect(done.agent == "second" && done.session == task.session)
                #expect(await scenario.forge.state.pulls("acme/shop").count == 1)
                let comments = await scenario.forge.state.comments("acme/shop").map(\.body)
                #expect(comments.count { $0.contains("so:task-\(task.id)/progress") } == 1)
                await scenario.open(8, "Another", "Do.")
                try await scenario.webhooks.label(8, by: "ada")
                try await scenario.agentWaits(8, at: 3)
                await scenario.forge.state.change("acme/shop") { $0.issues[8]?.isOpen = false }
                try await scenario.webhooks.close(8, by: "ada")
                _ = try await scenario.eventuallyIn(.cancelled, task: 8)
            }
            for session in scenario.sessions { await TestRuntime.removeAll(named: session) }
        }
    }
}

extension OrchestratorScenario {
    func open(_ number: Int, _ title: String, _ body: String) async {
        await forge.state.change(repository.name) {
            $0.issues[number] = .init(
                number: number, title: title, body: body, author: "eve", labels: ["so"],
                labelled: [.init("so", by: "ada")])
        }
    }

    fileprivate func shown(_ path: String) async throws -> String {
        let bare = "\(forge.root)/\(repository.name).git"
        return try await GitRepository.git(in: bare, ["show", "so/7-fix-the-greeting:\(path)"])
    }

    /// The task's agent is at its command of this number.
    fileprivate func agentWaits(_ number: Int, at step: Int) async throws {
        let task = try await eventuallyIn(.working, task: number)
        try await eventually(within: 120, "the agent is at its command") {
            let session = try #require(task.session)
            return try await TestRuntime.run(in: session, ["test", "-e", "/tmp/at-\(step)"]).succeeded
        }
    }

    fileprivate func tasking(of session: String?) async throws -> String {
        try await inside(session, "sh", "-c", "cat /work/*/.so/tasking.yaml")
    }

    @discardableResult
    func inside(_ session: String?, _ command: String...) async throws -> String {
        let finished = try await TestRuntime.run(in: try #require(session), command)
        try #require(finished.succeeded, "\(finished)")
        return finished.output
    }

    /// A server that is killed while it has the task in hand.
    fileprivate func killing() async throws -> TaskView {
        let task = Mutex<TaskView?>(nil)
        try await serving { running in
            let found = try await eventuallyIn(.working, task: 7)
            task.withLock { $0 = found }
            running.killNow()
        }
        return try #require(task.withLock { $0 })
    }
}
