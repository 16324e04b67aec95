import AgentLoop
import Deployments
import ExternalTools
import FoundationEssentials
import Specs
import TestSupport
import Testing
import YAML

@testable import Workspaces

/// Ends of sessions at which work could be lost, or that could never come.
@Suite(.pods, .debian) struct SessionLossTests {
    @Test(arguments: [125, 137, 1, 0])
    func `a pod that does not say whether there is work is no pod without work`(_ status: Int) throws {
        var record = try SessionRecord(
            id: SessionID.random(), project: "/p", projectName: "p-00000000", agent: "scripted")
        func has(_ text: String, _ status: Int = 0) throws -> Bool {
            let output = CommandOutput(status: status, standardOutput: Array(text.utf8), standardError: "")
            return try SessionService.hasCheckout(output, record)
        }
        #expect(throws: WorkspaceError.self) { try has("", status) }
        #expect(throws: WorkspaceError.self) { try has("none\n", 137) }
        #expect(try has("checkout\n") && !has("none\n"))
        record.hasRun = true
        #expect(try has("none\n"))
    }

    @Test func `a resume that fails or is cut short leaves the session stopped, with its work and its home`()
        async throws
    {
        try await withSessions { fixture in
            let service = fixture.service("echo half >half.txt; exec sleep 100000")
            var request = fixture.request
            request.onExit = .merge
            let record = try await service.start(request)
            try await eventually("it is at work") {
                try await fixture.inside(service, record, "cat half.txt") == "half"
            }
            var stopped = try await service.stop(record)
            let failing = fixture.service("true") { $0.setup = ["exit 1"] }
            await #expect(throws: (any Error).self) { try await failing.resume(stopped) }
            #expect(try service.store.read(record.id).state == .stopped)
            stopped.state = .resuming
            try service.store.write(stopped)
            #expect(try await service.takeUp().isEmpty)
            #expect(try service.store.read(record.id).state == .stopped)
            #expect(!exists(fixture.source.directory + "/half.txt"))
            var resumed = try await service.resume(try service.store.read(record.id))
            #expect(try await fixture.inside(service, resumed, "cat half.txt") == "half")
            // So does a stop that was cut short: what stops the pods goes on.
            resumed.state = .stopping
            try service.store.write(resumed)
            #expect(try await service.status(resumed).condition == .interrupted)
            #expect(try await service.takeUp().isEmpty)
            #expect(try service.store.read(record.id).state == .stopped)
            #expect(try await !service.isUp(record))
            resumed = try await service.resume(try service.store.read(record.id))
            #expect(try await fixture.inside(service, resumed, "cat half.txt") == "half")
            _ = try await service.finish(resumed, .keep)
        }
    }

    @Test func `a project that is gone keeps nobody from ending a session, and one hint says how its work comes home`()
        async throws
    {
        try await withSessions { fixture in
            let service = fixture.service("echo x >x.txt; exec sleep 100000")
            let record = try await service.start(fixture.request)
            try await eventually("it is at work") { try await fixture.inside(service, record, "cat x.txt") == "x" }
            let project = fixture.source.directory
            try FileManager.default.moveItem(atPath: project, toPath: project + ".gone")
            let end = try await service.finish(record, .keep)
            let problem = try #require(end.problems.first)
            #expect(end.record.state == .closed && problem.split(separator: "\n").count { $0.hasPrefix("hint:") } == 1)
            try FileManager.default.moveItem(atPath: project + ".gone", toPath: project)
            #expect(try await service.deliverAgain(end.record, .keep).outcome == .kept(record.id.branch))
            #expect(try await fixture.source.git("show", "\(record.id.branch):x.txt") == "x")
        }
    }

    @Test func `nobody merges the work of an agent that failed, whoever finds out that it did`() async throws {
        try await withSessions { fixture in
            let service = fixture.service("echo x >x.txt; exit 3")
            var request = fixture.headless()
            request.onExit = .merge
            let record = try await service.start(request)
            try await fixture.ended(service, record)
            let end = try await service.finish(record)
            guard case .notMerged(_, let reason) = end.outcome else {
                Issue.record("\(end)")
                return
            }
            #expect(reason.contains("failed"))
            #expect(!exists(fixture.source.directory + "/x.txt"))
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `an agent's pipes, endless logs and leftover processes hold nobody up, and write nothing after the end`()
        async throws
    {
        try await withSessions { fixture in
            let service = fixture.service(
                """
                mkfifo ~/.so/exit; rm ~/.so/output.log; truncate -s 1P ~/.so/output.log
                setsid sh -c 'while :; do date +%N >beat; done' & exec sleep 100000
                """)
            let record = try await service.start(fixture.headless())
            try await eventually("it is at work") {
                try await fixture.inside(service, record, "cat beat") != ""
            }
            #expect(try await service.status(record).condition == .running)
            _ = try await fixture.inside(service, record, "sh \(PodPaths.scripts)/stop")
            let left = try await fixture.inside(service, record, "cat beat; sleep 0.5; cat beat")
            let beats = left.split(separator: "\n")
            #expect(beats.first == beats.last)
            let end = try await service.finish(record, .discard)
            #expect(end.record.state == .closed)
        }
    }

    @Test func `a session whose work cannot be brought out ends when a person discards it, and its volume is named`()
        async throws
    {
        try await withSessions { fixture in
            let service = fixture.service("exec sleep 100000")
            let record = try await service.start(fixture.request)
            _ = try await fixture.inside(service, record, "rm .git/HEAD; mkdir .git/HEAD")
            let end = try await service.finish(record, .discard, dropsRefused: true)
            #expect(end.record.state == .closed)
            #expect(end.record.left?.contains { $0.contains("\(record.id)") } == true, "\(end)")
            #expect(try await service.cleanup(dryRun: false).kept.isEmpty == false)
            #expect(try await service.cleanup(dryRun: false, deletesUncollected: true).sessions == ["\(record.id)"])
            #expect(try await service.cleanup(dryRun: false).kept == [])
        }
    }

    @Test func `a session whose agent ended long ago is stopped by the next command, as its definition says`()
        async throws
    {
        try await withSessions { fixture in
            let service = fixture.service("echo x >x.txt")
            var record = try await service.start(fixture.headless())
            try await fixture.ended(service, record)
            record.idleTimeout = 3600
            try service.store.write(record)
            try await service.takeUp()
            #expect(try service.store.read(record.id).state == .running)
            record.idleTimeout = 0
            try service.store.write(record)
            try await service.takeUp()
            #expect(try service.store.read(record.id).state == .stopped)
            let end = try await service.finish(try service.store.read(record.id))
            #expect(end.outcome == .kept(record.id.branch))
        }
    }

    @Test func `a pod in which nobody does anything ends by itself, and one that is at work does not`() async throws {
        try await withSessions { fixture in
            let service = fixture.service("exec sleep 100000") { $0.idleTimeout = 5 }
            let busy = try await service.start(fixture.headless())
            let idle = try await service.start(fixture.request)
            try await eventually(within: 900, "the pod ends") { try await service.status(idle).condition == .stopped }
            #expect(try await service.status(busy).condition == .running)
            try await service.takeUp()
            #expect(try service.store.read(idle.id).state == .stopped)
            #expect(try service.store.read(busy.id).state == .running)
            let resumed = try await service.resume(try service.store.read(idle.id))
            #expect(resumed.state == .running)
            for record in [busy, resumed] { _ = try await service.finish(record, .discard) }
        }
    }

    @Test func `a start that takes longer than a session may be idle is waited for`() async throws {
        try await withSessions { fixture in
            let image = try await TestSupport.Podman.testImage()
            let witness = "until [ -e ~/.so/up ]; do sleep 0.1; done; echo up >up.txt; exec sleep 100000"
            let service = fixture.service(witness) { parts in
                parts.idleTimeout = 2
                // Ready long after the agent's pod is.
                parts.part.services["slow"] = .map([
                    ("image", .string(image)), ("stop_grace_period", .string("0s")),
                    (
                        "command",
                        .list(["sh", "-c", "sleep 8; touch /tmp/ready; exec sleep 100000"].map { .string($0) })
                    ),
                    (
                        "healthcheck",
                        .map([
                            ("test", .list(["CMD", "test", "-e", "/tmp/ready"].map { .string($0) })),
                            ("interval", .string("1s")), ("retries", .plain("600")),
                        ])
                    ),
                ])
            }
            let record = try await service.start(fixture.request)
            try await eventually(within: 300, "it ends by itself") {
                try await service.status(record).condition == .stopped
            }
            let end = try await service.finish(record, .keep)
            #expect(end.outcome == .kept(record.id.branch))
            #expect(try await fixture.source.git("show", "\(record.id.branch):up.txt") == "up")
        }
    }

    @Test func `volumes without a record are named, and go when that is asked for`() async throws {
        try await withSessions { fixture in
            let service = fixture.service("echo x >x.txt; exec sleep 100000")
            let record = try await service.start(fixture.request)
            let file = "\(fixture.state)/sessions/\(record.id).json"
            let text = try read(file)
            removeTree(file)
            let kept = try await service.cleanup(dryRun: false)
            #expect(kept.sessions == [] && kept.kept.contains { $0.contains("work") }, "\(kept)")
            #expect(try await TestSupport.Podman.lines("volume", "ls", "--format", "{{.Name}}").contains(kept.kept[0]))
            #expect(try await service.cleanup(dryRun: false, deletesUncollected: true).sessions == ["\(record.id)"])
            #expect(try await TestSupport.Podman.named("\(record.id)") == [])
            try write(text, to: file)
            _ = try await service.finish(record, .discard, dropsRefused: true)
        }
    }

    @Test func `a session of which this host has nothing any more is found by its labels`() async throws {
        try await withSessions { fixture in
            let service = fixture.service("echo x >x.txt; exec sleep 100000")
            let record = try await service.start(fixture.request)
            // Of others on the same runtime nothing is said, whatever their records are.
            let other = SessionFixture(
                directory: fixture.directory + "/other", source: fixture.source, image: fixture.image)
            #expect(try await other.service("").orphans(everywhere: true).found == [])
            #expect(try await service.orphans(everywhere: true).found == [])
            removeTree(fixture.state + "/sessions")
            removeTree(fixture.state + "/keeper")
            let found = try await service.orphans(everywhere: false).found
            #expect(found.map(\.id) == [record.id])
            #expect(found.first?.owner?.contains(fixture.source.directory) == true)
            #expect(found.first?.volumes.contains { $0.contains("work") } == true)
            let kept = try await service.cleanup(dryRun: false)
            #expect(kept.sessions == [] && kept.kept == found[0].volumes, "\(kept)")
            #expect(try await service.cleanup(dryRun: false, deletesUncollected: true).sessions == ["\(record.id)"])
            #expect(try await TestSupport.Podman.named("\(record.id)") == [])
            #expect(try await service.orphans(everywhere: true).found == [])
        }
    }

    @Test func `a runtime that does not answer hides no other session`() async throws {
        try await withSessions { fixture in
            let service = fixture.service("exec sleep 100000")
            let record = try await service.start(fixture.request)
            var away = record
            away.id = try SessionID.random()
            away.createdAt = record.createdAt.addingTimeInterval(10)
            away.runtime = SessionRuntime(.kubernetes, kubeconfig: fixture.directory + "/absent")
            try service.store.write(away)
            let listed = try await service.list(project: nil, includesClosed: false)
            #expect(listed.map(\.condition) == [.running, .unknown], "\(listed)")
            #expect(listed.last?.reason?.isEmpty == false)
            try service.store.remove(away.id)
            _ = try await service.finish(record, .discard)
        }
    }
}
