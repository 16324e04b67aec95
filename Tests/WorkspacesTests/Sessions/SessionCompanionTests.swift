import ExternalTools
import Synchronization
import TestSupport
import Testing
import YAML

@testable import Workspaces

/// Companions of sessions in real pods: the project's compose file, a database, a service of the host.
@Suite(.pods, .sessionRuntime, .debian, .serialized) struct SessionCompanionTests {
    @Test(.podmanOnly) func `a compose file's services run beside the agent, on the folders of its own checkout`()
        async throws
    {
        try await withDeclaredSessions { fixture in
            let busybox = try await TestSupport.Podman.testImage()
            try fixture.declareScripted("exec sleep 100000")
            try fixture.define("agent: scripted\ncompose: compose.yml\nsetup: [\"cat site/index.html >setup.txt\"]")
            let serve = "exec nc -ll -p 8000 -e cat /head /site/index.html /built"
            try await fixture.source.commit(
                [
                    "compose.yml": """
                    services:
                      web:
                        build: {context: built, args: {TEXT: "built here"}}
                        command: ["/bin/sh", "-c", \(Node.string(serve).json())]
                        volumes: ["./site:/site", "./head.txt:/head:ro"]
                        stop_grace_period: 1s
                        networks: {default: {aliases: [www]}}
                      unused: {image: absent, profiles: [never]}
                    """,
                    "built/Containerfile": "FROM \(busybox)\nARG TEXT\nRUN echo \"$TEXT\" >/built\n",
                    "site/index.html": "the page\n", "head.txt": "the head\n",
                ], "compose")
            let service = fixture.service
            let record = try await service.start(fixture.request)
            #expect(record.folders.keys.sorted() == ["site"])
            let ask = "bash -c 'exec 3<>/dev/tcp/www/8000; timeout 5 cat <&3'"
            // Its container runs a moment before its program listens.
            try await eventually("the companion serves its page") {
                try await fixture.inside(record, ask) == "the head\nthe page\nbuilt here 0"
            }
            // What the agent writes, the companion serves; and it is work like any other.
            let tree = PodPaths.checkout(record.projectName)
            _ = try await fixture.inside(
                record, "cd \(tree) && echo changed >site/index.html && git status --short >status.txt")
            #expect(try await fixture.inside(record, ask).contains("changed"))
            #expect(
                try await fixture.inside(record, "cat \(tree)/setup.txt \(tree)/status.txt")
                    == "the page\n M site/index.html\n?? setup.txt\n?? status.txt 0")
            // The companion has no way out either.
            let web = WorkspacePod(try service.deployment(record), service: "web")
            let routes = try await web.capture(["sh", "-c", "ip route | grep -c default; cat /etc/resolv.conf"])
            #expect(
                routes.text.hasPrefix("0\n") && routes.text.contains("nameserver \(record.addresses?.egress ?? "")"))
            let resumed = try await service.resume(try await service.stop(record))
            #expect(try await fixture.inside(resumed, ask).contains("changed"))
            let end = try await service.finish(resumed)
            #expect(end.problems == [])
            #expect(try await fixture.source.git("show", "\(record.id.branch):site/index.html") == "changed")
        }
    }

    @Test func `a database beside the agent is ready before it, and is found by the names that applications look for`()
        async throws
    {
        try await withDeclaredSessions { fixture in
            let redis = try await DebianImage.redis()
            try write("database-images: {redis: \(redis)}\n", to: fixture.directory + "/config/so/settings.yml")
            try fixture.declareScripted("exec sleep 100000")
            try fixture.define(
                "agent: scripted\ndatabases: [redis]\nsetup: [\"timeout 5 redis-cli -u $REDIS_URL set greeting hello\"]"
            )
            let service = fixture.service
            let record = try await service.start(fixture.request)
            #expect(try await fixture.inside(record, "redis-cli -u $REDIS_URL get greeting") == "hello 0")
            let resumed = try await service.resume(try await service.stop(record))
            #expect(try await fixture.inside(resumed, "redis-cli -h redis get greeting") == "hello 0")
            _ = try await service.finish(resumed)
        }
    }

    @Test func `a compose file that asks for more leaves nothing behind`() async throws {
        try await withDeclaredSessions { fixture in
            try fixture.declareScripted("exec sleep 100000")
            try fixture.define("agent: scripted\ncompose: compose.yml")
            try write(
                "services: {web: {image: web, privileged: true}}\n", to: fixture.source.directory + "/compose.yml")
            let error = await #expect(throws: InvalidInput.self) { try await fixture.service.start(fixture.request) }
            #expect(error.map { "\($0)" }?.contains("compose.yml:1:") == true)
            #expect(try fixture.service.store.all() == [])
        }
    }

    @Test(.podmanOnly) func `a database of the host is reached by its name, and one that does not listen is told`()
        async throws
    {
        try await withDeclaredSessions { fixture in
            try fixture.declareScripted("exec sleep 100000")
            try fixture.define("agent: scripted\ndatabases: [{redis: host}, {mysql: host}]")
            let listen = """
                import socket, sys
                s = socket.create_server(('0.0.0.0', 6379))
                print('ready', flush=True)
                while True:
                    c, _ = s.accept(); c.sendall(b'I am the host'); c.close()
                """
            _ = try await run("python3", ["-c", listen], environment: TestSupport.Podman.environment) { running in
                defer { running.killNow() }
                try await eventually("the host's service is up") {
                    running.output.contains("ready") || !running.isAlive
                }
                let notes = Notes()
                let service = fixture.service
                let record = try await service.start(fixture.request) { event in
                    if case .note(let text) = event { notes.add(text) }
                }
                let ask = "bash -c 'exec 3<>/dev/tcp/$REDIS_HOST/6379; timeout 5 cat <&3'"
                #expect(try await fixture.inside(record, ask) == "I am the host 0")
                let told = notes.all
                #expect(told.count == 1 && told[0].contains("mysql") && told[0].contains("hint:"), "\(told)")
                _ = try await service.finish(record)
            }
        }
    }
}

/// What was noted, from several tasks.
final class Notes: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
