import AgentLoop
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable import Workspaces

@Suite(.pods, .debian) struct SessionTests {
    @Test func `an agent without a terminal works on a clone, and its work comes home onto its branch`() async throws {
        try await withSessions { fixture in
            let service = fixture.service(
                """
                echo "asked: $1"; echo done >done.txt; git add done.txt; git commit -qm done; echo loose >loose.txt
                id -u; grep CapEff /proc/self/status; grep NoNewPrivs /proc/self/status; touch /x 2>&1; echo "$AGENT_SETTING $PASSED"
                cat ~/.agent/config; git log -1 --format=%an
                """)
            try await fixture.source.git("config", "user.name", "Somebody")
            try await fixture.source.git("config", "user.email", "somebody@example.com")
            let record = try await service.start(fixture.headless("the prompt's \"text\""))
            #expect(record.state == .running)
            let log = Gathering()
            try await service.log(record, follow: true) { await log.add($0) }
            let text = await log.text
            #expect(text.contains("asked: the prompt's \"text\"\n"), "\(text)")
            #expect(text.contains("1000\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\n"), "\(text)")
            #expect(text.contains("a $value pa$$ed\nfirst run\nSomebody\n"), "\(text)")
            try await fixture.ended(service, record)
            #expect(try await service.status(record).condition == .ended)
            let end = try await service.finish(record)
            #expect(end.outcome == .kept(record.id.branch))
            #expect(end.problems == [] && end.record.state == .closed)
            #expect(end.record.result?.exitCode == 0)
            #expect(try await fixture.source.git("show", "\(record.id.branch):loose.txt") == "loose")
            #expect(try await fixture.source.git("show", "\(record.id.branch):done.txt") == "done")
            #expect(try await fixture.source.git("status", "--porcelain") == "")
            #expect(try mode(fixture.state + "/sessions/\(record.id).json") == 0o600)
        }
    }

    @Test func `a stopped session goes on with its files, its home and its agent's own way to resume`() async throws {
        try await withSessions { fixture in
            let service = fixture.service("echo at work >work.txt; echo kept >~/note; exec sleep 100000")
            let record = try await service.start(fixture.request)
            try await eventually("it is at work") {
                try await fixture.inside(service, record, "cat work.txt") == "at work"
            }
            let stopped = try await service.stop(record)
            #expect(try await service.status(stopped).condition == .stopped)
            let said = Mutex<[String]>([])
            let resumed = try await service.resume(stopped) { event in
                if case .note(let text) = event { said.withLock { $0.append(text) } }
            }
            #expect(said.withLock { $0 } == [] && resumed.state == .running)
            try await eventually("it goes on") {
                try await fixture.inside(service, record, "cat resumed.txt") == "resumed"
            }
            #expect(try await fixture.inside(service, record, "cat work.txt ~/note") == "at work\nkept")
            // As after a reboot: the pods are gone behind so's back.
            for name in try await TestSupport.Podman.lines("pod", "ps", "--format", "{{.Name}}")
            where name.contains("\(record.id)") {
                _ = try await TestSupport.Podman.run(["pod", "rm", "--force", "--time", "0", name])
            }
            #expect(try await service.status(resumed).condition == .stopped)
            let end = try await service.finish(resumed, .merge)
            guard case .merged("main", _, true) = end.outcome else {
                Issue.record("\(end)")
                return
            }
            #expect(try read(fixture.source.directory + "/work.txt") == "at work\n")
        }
    }

    @Test func `a session whose volume somebody deleted says that it starts over`() async throws {
        try await withSessions { fixture in
            let service = fixture.service("exec sleep 100000")
            let stopped = try await service.stop(try await service.start(fixture.request))
            for name in try await TestSupport.Podman.lines("volume", "ls", "--format", "{{.Name}}")
            where name.contains("\(stopped.id)") {
                _ = try await TestSupport.Podman.run(["volume", "rm", name])
            }
            let said = Mutex<[String]>([])
            let resumed = try await service.resume(stopped) { event in
                if case .note(let text) = event { said.withLock { $0.append(text) } }
            }
            #expect(said.withLock { $0.contains { $0.contains("what was not brought home is lost") } })
            _ = try await service.finish(resumed)
        }
    }

    @Test
    func
        `an interactive agent runs in a terminal that outlives whoever looks, and is ended before its work is collected`()
        async throws
    {
        try await withSessions { fixture in
            let service = fixture.service("tty; trap 'echo ended >ended.txt; exit 3' TERM; while :; do sleep 1; done")
            let record = try await service.start(fixture.request)
            let log = Gathering()
            try await eventually("its terminal shows") {
                try await service.log(record, follow: false) { await log.add($0) }
                return await log.text.contains("/dev/pts/")
            }
            let end = try await service.finish(record, .keep)
            #expect(end.outcome == .kept(record.id.branch))
            #expect(try await fixture.source.git("show", "\(record.id.branch):ended.txt") == "ended")
        }
    }

    @Test func `discarded work is left out of the project, and kept by so`() async throws {
        try await withSessions { fixture in
            let service = fixture.service("echo x >x.txt")
            let record = try await service.start(fixture.headless())
            try await fixture.ended(service, record)
            let end = try await service.finish(record, .discard)
            #expect(end.outcome == nil && end.record.state == .closed)
            #expect(try await fixture.source.git("for-each-ref", "refs/so", "refs/heads/so") == "")
            #expect(
                try await GitRepository.git(
                    in: service.stores(record).collected, ["show", "\(record.id.references)wip:x.txt"]) == "x")
        }
    }

    @Test func `setup runs once, ignored files that are named come along, and a setup that fails leaves nothing`()
        async throws
    {
        try await withSessions { fixture in
            try write("SECRET=1\n", to: fixture.source.directory + "/.env")
            let service = fixture.service("cat .env; cat made.txt; exec sleep 100000") {
                $0.copy = [".env", "absent"]
                $0.setup = ["echo set up >>made.txt"]
            }
            let record = try await service.start(fixture.headless())
            let resumed = try await service.resume(try await service.stop(record))
            #expect(try await fixture.inside(service, resumed, "cat .env made.txt") == "SECRET=1\nset up")
            _ = try await fixture.inside(service, resumed, "echo OWN=2 >>.env")
            _ = try await service.finish(resumed)
            // What was changed of it is kept apart from the work, which may be merged.
            #expect(try await fixture.source.git("show", "\(record.id.references)copied:.env") == "SECRET=1\nOWN=2")
            await #expect(throws: (any Error).self) {
                try await fixture.source.git("show", "\(record.id.references)wip:.env")
            }

            let failing = fixture.service("true") { $0.setup = ["echo broken; exit 9"] }
            let error = await #expect(throws: (any Error).self) { try await failing.start(fixture.headless()) }
            #expect(error.map { "\($0)" }?.contains("broken") == true, "\(error.map { "\($0)" } ?? "")")
            #expect(try failing.store.all().filter { $0.state != .closed } == [])
            #expect(try failing.store.orphans() == [])
        }
    }

    @Test func `ten sessions of one project at once are each on their own`() async throws {
        try await withSessions { fixture in
            let service = fixture.service("echo \"$1\" >own.txt")
            let records = try await withThrowingTaskGroup(of: SessionRecord.self) { group in
                for number in 0..<10 {
                    group.addTask { try await service.start(fixture.headless("session \(number)")) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(records.map(\.id)).count == 10)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for record in records {
                    group.addTask {
                        try await fixture.ended(service, record)
                        let end = try await service.finish(record)
                        #expect(end.outcome == .kept(record.id.branch), "\(end.problems)")
                    }
                }
                try await group.waitForAll()
            }
            for record in records {
                #expect(try await fixture.source.git("show", "\(record.id.branch):own.txt") == record.prompt)
            }
        }
    }

    @Test func `what a killed command left is taken up by the next one`() async throws {
        try await withSessions { fixture in
            let service = fixture.service("echo x >x.txt; exec sleep 100000")
            var created = try SessionRecord(
                id: SessionID.random(), project: fixture.source.directory, projectName: "project-00000000",
                agent: "scripted")
            try service.store.write(created)
            created.state = .cloning
            var record = try await service.start(fixture.request)
            // Killed after the pods came up, before the record said so.
            record.state = .starting
            try service.store.write(record)
            #expect(try await service.takeUp().map(\.id) == [created.id])
            #expect(try service.store.read(record.id).state == .running)
            // Killed in the middle of its end.
            record.state = .collecting
            try service.store.write(record)
            #expect(try await service.takeUp().map(\.state) == [.closed])
            #expect(try await fixture.source.git("show", "\(record.id.branch):x.txt") == "x")
            #expect(try await service.cleanup(dryRun: true).sessions == [])
        }
    }
}

/// What a log handed out.
actor Gathering {
    private var bytes: [UInt8] = []
    var text: String { String(decoding: bytes, as: UTF8.self) }
    func add(_ more: [UInt8]) { bytes += more }
}
