import FoundationEssentials
import TestSupport
import Testing

@Suite(.pods, .debian) struct TaskTests {
    @Test func `tasks run in the order of what they depend on, again where they fail, and say how they ended`()
        async throws
    {
        try await withWorkspaces { scenario in
            try scenario.declare(
                headless: "case $1 in fail*) exit 3;; esac; echo \"$1\" >>log.txt; [ $1 != wait ] || exec sleep 1000")
            let id = try await scenario.must("session", "--detach", "--prompt", "wait")
            let file = scenario.sandbox.directory + "/tasks.json"
            try write(
                """
                [
                  {"id": "last", "command": "cat log.txt", "depends-on": ["again", "agent"]},
                  {"id": "first", "command": "echo first; echo $NAME >>log.txt", "environment": {"NAME": "a name"}},
                  {"id": "again", "command": "echo x >>tries; test $(wc -l <tries) -ge 3", "retries": 4, "depends-on": ["first"]},
                  {"id": "agent", "prompt": "prompted", "depends-on": ["first"]},
                  {"id": "sub", "command": "pwd", "cwd": "sub", "depends-on": ["made"]},
                  {"id": "made", "command": "mkdir sub"},
                  {"id": "bad", "command": "exit 6", "continue-on-error": true},
                  {"id": "after-bad", "command": "true", "depends-on": ["bad"]}
                ]
                """, to: file)
            let finished = try await scenario.so("task", "run", file, "--session", id, "-o", "json")
            #expect(finished.status == 1 && finished.errors.contains("error: failed: bad"), "\(finished)")
            let results = try JSONDecoder().decode(Results.self, from: Data(finished.output.utf8))
            func result(_ id: String) throws -> Results.Result { try #require(results.tasks.first { $0.id == id }) }
            #expect(!results.succeeded)
            #expect(results.tasks.map(\.id) == ["last", "first", "again", "agent", "sub", "made", "bad", "after-bad"])
            #expect(try result("last").output == "wait\na name\nprompted\n")
            #expect(try result("again").attempts == 3 && result("again").state == "succeeded")
            #expect(try result("sub").output.hasSuffix("/sub\n"))
            #expect(try result("bad").state == "failed" && result("bad").exitCode == 6)
            #expect(try result("after-bad").state == "skipped")
            _ = try await scenario.must("session", "finish", id, "--on-exit", "discard")
        }
    }

    @Test func `a task that is silent too long is ended with all that it started, and the rest is skipped`()
        async throws
    {
        try await withWorkspaces { scenario in
            try scenario.declare(headless: "exec sleep 1000")
            let id = try await scenario.must("session", "--detach", "--prompt", "wait")
            let file = scenario.sandbox.directory + "/tasks.json"
            try write(
                """
                {"parallel": 2, "tasks": [
                  {"id": "silent", "command": "echo begun; sleep 4711 & sleep 4711", "timeout-without-output": 2},
                  {"id": "busy", "command": "for i in 1 2 3 4 5 6; do echo $i; sleep 0.7; done", "timeout-without-output": 2},
                  {"id": "never", "command": "true", "depends-on": ["silent"]}
                ]}
                """, to: file)
            let finished = try await scenario.so("task", "run", file, "--session", id)
            #expect(finished.status == 1 && finished.errors.contains("failed: silent"), "\(finished)")
            #expect(finished.output.contains("silent   timed-out"), "\(finished)")
            #expect(finished.output.contains("busy     succeeded") && finished.output.contains("never    skipped"))
            let processes = try await scenario.must(
                "session", "exec", id, "sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '")
            #expect(!processes.contains("sleep 4711"), "\(processes)")
            _ = try await scenario.must("session", "finish", id, "--on-exit", "discard")
        }
    }

    private struct Results: Decodable {
        struct Result: Decodable {
            var id: String
            var state: String
            var attempts: Int
            var output: String
            var exitCode: Int?

            enum CodingKeys: String, CodingKey {
                case id, state, attempts, output
                case exitCode = "exit-code"
            }
        }

        var succeeded: Bool
        var tasks: [Result]
    }
}
