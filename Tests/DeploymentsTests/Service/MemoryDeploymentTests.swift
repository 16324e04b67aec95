import Compose
import Deployments
import ExternalTools
import FoundationEssentials
import KubernetesObjects
import Rendering
import Runtimes
import TestSupport
import Testing
import YAML

/// A service for tests, and one deployment of it.
struct MemoryFixture: Sendable {
    let token = randomToken()
    let directory: String
    let image: String
    var service: DeploymentService {
        var host = DeploymentHost(environment: hostEnvironment)
        host.podman = Fixture.podman
        return DeploymentService(host)
    }

    func definition(_ compose: String, files: [String: [UInt8]] = [:]) -> DeploymentDefinition {
        DeploymentDefinition(
            id: "unit-\(token)", name: "unit-\(token)", owner: "the test \(token)",
            compose: compose.replacing("IMAGE", with: image), files: files, stateDirectory: directory + "/state")
    }
}

/// Runs a test with a fixture, and expects that nothing of it is left.
func withMemoryFixture(_ body: (MemoryFixture) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
        let fixture = MemoryFixture(directory: directory, image: try await TestSupport.Podman.testImage())
        var failure: (any Error)?
        do { try await body(fixture) } catch { failure = error }
        let leaked = try await TestSupport.Podman.named(fixture.token)
        if failure == nil { #expect(leaked == []) }
        await TestSupport.Podman.removeAll(named: fixture.token)
        if let failure { throw failure }
    }
}

private let forever = "trap 'exit 0' TERM; while :; do sleep 1000 & wait $$!; done"

@Suite(.pods) struct MemoryDeploymentTests {
    @Test func `a deployment made from memory starts, answers, is planned and stops, and tells nobody its secret`()
        async throws
    {
        try await withMemoryFixture { fixture in
            var definition = fixture.definition(
                """
                services:
                  one:
                    image: IMAGE
                    pull_policy: never
                    command: ["/bin/sh", "-c", "echo hello; \(forever)"]
                    environment: {TOKEN: "${TOKEN}"}
                    user: "1000:1000"
                    cap_drop: [ALL]
                    security_opt: ["no-new-privileges:true"]
                    read_only: true
                    tmpfs: [/scratch]
                    mem_limit: 64m
                    pids_limit: 50
                    extra_hosts: ["other:10.1.2.3"]
                    configs: [{source: c, target: /etc/c}]
                    secrets: [{source: s, target: /run/secrets/s, uid: "1000"}]
                    volumes: ["data:/data", "\(fixture.directory)/shared:/shared:ro"]
                    stop_grace_period: 1s
                configs: {c: {file: ./c.txt}}
                secrets: {s: {environment: TOKEN}}
                volumes: {data: {}}
                """, files: ["c.txt": Array("from memory".utf8)])
            definition.secrets = ["TOKEN": "a-secret-value-4711"]
            definition.allowedPaths = [fixture.directory + "/shared"]
            try Files.makeDirectory(fixture.directory + "/shared")
            try Files.write(Array("shared".utf8), to: fixture.directory + "/shared/f")

            let deployment = try await fixture.service.open(definition)
            #expect(Files.isPrivateDirectory(fixture.directory + "/state"))
            #expect(try await deployment.plan().items.map(\.action).allSatisfy { $0 == .create })
            let recorder = Recorder()
            try await deployment.start(events: recorder.handler)
            #expect(await recorder.events().contains { if case .ready = $0.phase { true } else { false } })
            #expect(try await deployment.plan().isEmpty)
            #expect(try await deployment.status().map(\.isReady) == [true])

            let script = """
                set -e
                cat /etc/c /shared/f; echo; cat /run/secrets/s; echo " $TOKEN"; id -u; id -g
                grep -E '^(CapEff|NoNewPrivs)' /proc/self/status | tr -d '\\t'; grep other /etc/hosts | tr '\\t' ' '
                touch /scratch/x; ! touch /x 2>/dev/null; ! touch /shared/x 2>/dev/null; cat
                exit 7
                """
            let output = try await deployment.capture(
                ExecRequest(service: "one", command: ["sh", "-c", script], interactive: true),
                input: Array("the input".utf8))
            #expect(output.status == 7)
            #expect(
                output.text.split(separator: "\n").map(String.init) == [
                    "from memoryshared", "a-secret-value-4711 a-secret-value-4711", "1000", "1000",
                    "CapEff:0000000000000000", "NoNewPrivs:1", "10.1.2.3 other", "the input",
                ], "\(output)")
            let lines = Lines()
            try await deployment.logs { await lines.add($0.text) }
            #expect(await lines.all == ["hello"])
            for path in try Files.tree(fixture.directory) {
                let bytes = try Files.read("\(fixture.directory)/\(path)")
                #expect(!String(decoding: bytes, as: UTF8.self).contains("4711"), "\(path)")
            }
            #expect(try await deployment.addresses(of: "one").map(\.network) == [deployment.model.namespace])

            var options = StopOptions()
            (options.deleteVolumes, options.graceSeconds) = (true, 0)
            try await deployment.stop(options)
        }
    }

    @Test func `a command in a pod has the caller's streams, with a terminal and without one`() async throws {
        try await withMemoryFixture { fixture in
            let definition = fixture.definition(
                """
                services: {one: {image: IMAGE, command: ["/bin/sh", "-c", "\(forever)"], stop_grace_period: 1s}}
                """)
            let deployment = try await fixture.service.open(definition)
            try await deployment.start()

            let (input, feed) = AsyncStream.makeStream(of: [UInt8].self)
            let bytes = Bytes()
            feed.yield(Array("abc\n".utf8))
            feed.finish()
            let status = try await deployment.exec(
                ExecRequest(service: "one", command: ["sh", "-c", "cat; echo wrong >&2; exit 3"]),
                on: CommandStreams(input: input) { stream, part in await bytes.add(part, stream) })
            #expect(status == 3)
            #expect(await bytes.text(.standardOutput) == "abc\n")
            #expect(await bytes.text(.standardError) == "wrong\n")

            let (typed, keys) = AsyncStream.makeStream(of: [UInt8].self)
            let (sizes, resize) = AsyncStream.makeStream(of: TerminalSize.self)
            let screen = Bytes()
            let terminal = TerminalSizes(TerminalSize(columns: 100, rows: 30), later: sizes)
            let code = try await deployment.exec(
                ExecRequest(
                    service: "one",
                    command: [
                        "sh", "-c",
                        "tty; until stty size 2>/dev/null; do sleep 0.1; done; trap 'echo resized; stty size' WINCH; echo ready; until read line; do :; done; exit 5",
                    ]),
                on: CommandStreams(input: typed, terminal: terminal) { _, part in
                    await screen.add(part, .standardOutput)
                    if await screen.text(.standardOutput).contains("ready") {
                        resize.yield(TerminalSize(columns: 70, rows: 20))
                    }
                    if await screen.text(.standardOutput).contains("20 70") { keys.yield(Array("\n".utf8)) }
                })
            #expect(code == 5)
            let shown = await screen.text(.standardOutput)
            #expect(shown.contains("/dev/pts/") && shown.contains("30 100"), "\(shown)")
            #expect(shown.contains("resized\r\n20 70"), "\(shown)")

            let running = Task {
                try await deployment.exec(
                    ExecRequest(service: "one", command: ["sleep", "1000"]), on: CommandStreams { _, _ in })
            }
            running.cancel()
            await #expect(throws: DeploymentError.self) { try await running.value }
            try await deployment.stop()
        }
    }

    @Test func `all who open a deployment at once have the same host ports, and to read it chooses none`() async throws
    {
        try await withTemporaryDirectory { directory in
            let fixture = MemoryFixture(directory: directory, image: "none")
            let definition = fixture.definition("services: {one: {image: IMAGE, ports: [\"80\", \"81\"]}}")
            _ = try fixture.service.read(definition)
            #expect(!exists(directory + "/state/ports.yml"))
            let models = try await withThrowingTaskGroup(of: RenderedDeployment.self) { group in
                for _ in 1...20 {
                    group.addTask { try await fixture.service.open(definition).model.rendered }
                }
                return try await group.reduce(into: [RenderedDeployment]()) { $0.append($1) }
            }
            #expect(Set(try models.map { try $0.objects.map { try $0.node().json() } }).count == 1)
            let read = try fixture.service.read(definition).model.rendered
            #expect(try read.objects.map { try $0.node().json() } == models[0].objects.map { try $0.node().json() })
        }
    }

    @Test func `what is not allowed of the host is not mounted, also not by a link, and a state directory is private`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let fixture = MemoryFixture(directory: directory, image: "none")
            func open(_ source: String, allowed: [String]) throws -> OpenDeployment {
                var definition = fixture.definition(
                    "services: {one: {image: IMAGE, volumes: [\"\(source):/x\"]}}")
                definition.allowedPaths = allowed
                return try fixture.service.read(definition)
            }
            try Files.makeDirectory(directory + "/a")
            try FileManager.default.createSymbolicLink(atPath: directory + "/a/out", withDestinationPath: "/etc")
            _ = try open(directory + "/a/b", allowed: [directory + "/a"])
            for (source, allowed) in [
                ("/etc", []), (directory + "/a/out", [directory + "/a"]), (directory + "/ab", [directory + "/a"]),
                (directory + "/state/files", [directory + "/a"]),
            ] {
                #expect(throws: DeploymentError.self) { try open(source, allowed: allowed) }
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory + "/state")
            #expect(throws: DeploymentError.self) { try open(directory + "/a", allowed: [directory + "/a"]) }
        }
    }
}

/// What came on two streams.
actor Bytes {
    private var all: [ExternalTools.OutputStream: [UInt8]] = [:]
    func add(_ bytes: [UInt8], _ stream: ExternalTools.OutputStream) { all[stream, default: []] += bytes }
    func text(_ stream: ExternalTools.OutputStream) -> String { String(decoding: all[stream] ?? [], as: UTF8.self) }
}
