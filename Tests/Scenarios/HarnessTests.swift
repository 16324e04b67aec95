import FoundationEssentials
import TestSupport
import Testing

/// What the scenarios rely on: a harness that hides a failure would make each of them pass.
@Suite struct HarnessTests {
    private let path = ["PATH": "/usr/bin:/bin"]

    @Test func `a program's status, output, errors and input pass through`() async throws {
        let script = "cat; echo error >&2; exit 7"
        let finished = try await run("sh", ["-c", script], environment: path, input: "input")
        #expect(finished.status == 7)
        #expect(finished.output == "input")
        #expect(finished.errors == "error\n")
    }

    @Test func `an interrupt reaches a program and its children`() async throws {
        let finished = try await run("sh", ["-c", "echo up; sleep 100; echo late"], environment: path) { running in
            try await eventually("it is up") { running.output.contains("up") }
            running.interrupt()
        }
        #expect(finished.status == -2)
        #expect(!finished.output.contains("late"))
    }

    @Test func `a program sees the environment that it is given, and nothing else`() async throws {
        let finished = try await run("/usr/bin/env", [], environment: ["ONLY": "this"])
        #expect(finished.output == "ONLY=this\n")
    }

    @Test func `a temporary directory is gone afterwards, also after a failure`() async throws {
        var seen = ""
        await #expect(throws: NoPort.self) {
            try await withTemporaryDirectory { directory in
                seen = directory
                try write("text", to: directory + "/a/b", mode: 0o600)
                #expect(try mode(directory + "/a/b") == 0o600)
                #expect(try files(below: directory) == ["a/b"])
                #expect(try files(below: directory, holding: "ext") == ["a/b"])
                throw NoPort()
            }
        }
        #expect(!seen.isEmpty && !exists(seen))
    }

    @Test(.pods) func `what is left in podman under a name is found, and removed by force`() async throws {
        let token = randomToken()
        try await Podman.run(["volume", "create", "left-\(token)"])
        try await Podman.run(["run", "--detach", "--name", "left-\(token)", Podman.testImage(), "sleep", "100"])
        #expect(try await Podman.named(token) == ["container left-\(token)", "volume left-\(token)"])
        await Podman.removeAll(named: token)
        #expect(try await Podman.named(token) == [])
    }
}
