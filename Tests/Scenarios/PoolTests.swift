import FoundationEssentials
import TestSupport
import Testing

@Suite(.pods, .debian) struct PoolTests {
    @Test func `a session takes a waiting pod of its project's pool, at the newest commit and with its own prompt`()
        async throws
    {
        try await withWorkspaces { scenario in
            try scenario.declare(headless: "echo \"asked: $1\"; cat b.txt; echo done >done.txt")
            try await scenario.define("setup: [\"echo set up >>~/setup\"]\ncopy: [.env]\n")
            let filled = try await scenario.must("workspace", "pool", "--size", "2")
            let waiting = Set(filled.split(separator: "\n").map(String.init))
            #expect(waiting.count == 2 && waiting == Set(scenario.sessions))
            #expect(try await scenario.must("session", "ls", "--quiet") == "")
            #expect(try await scenario.must("workspace", "pool", "--size", "2") == filled)
            try await scenario.project.commit(["b.txt": "newer\n"], "after the pool was made")
            try write("A=1\n", to: scenario.project.directory + "/.env")
            let finished = try await scenario.so("session", "--prompt", "the \"text\"")
            #expect(finished.succeeded && finished.output == "asked: the \"text\"\nnewer\n", "\(finished)")
            let used = try #require(waiting.first { finished.errors.contains("is on so/\($0)") })
            #expect(try await scenario.project.git("show", "so/\(used):done.txt") == "done")
            #expect(Set(scenario.sessions) == waiting)
            try await scenario.define("environment: {CHANGED: \"yes\"}\n")
            let other = try await scenario.so("session", "--prompt", "x", "--on-exit", "discard")
            #expect(other.succeeded && scenario.sessions.count == 3, "\(other)")
            #expect(try await scenario.must("workspace", "pool", "--size", "0") == "")
            #expect(Set(scenario.sessions).isDisjoint(with: waiting.subtracting([used])))
        }
    }

    @Test func `a pod of the pool that has ended is no reason not to start another one`() async throws {
        try await withWorkspaces { scenario in
            try scenario.declare(headless: "echo worked")
            let id = try await scenario.must("workspace", "pool", "--size", "1")
            for pod in try await Podman.lines("pod", "ps", "--format", "{{.Name}}") where pod.contains(id) {
                _ = try await Podman.run(["pod", "rm", "--force", "--time", "0", pod])
            }
            let finished = try await scenario.so("session", "--prompt", "x")
            #expect(finished.succeeded && finished.output == "worked\n", "\(finished)")
            #expect(!finished.errors.contains("is on so/\(id)"))
            _ = try await scenario.must("workspace", "pool", "--size", "0")
        }
    }
}
