import FoundationEssentials
import TestSupport
import Testing

@Suite(.pods) struct CommandTests {
    private let talker = """
        services:
          app:
            image: IMAGE
            command: ["sh", "-c", "for i in 1 2 3 4 5; do echo app line $$i; done; exec sleep 100000"]
            stop_grace_period: 0s
          other:
            image: IMAGE
            command: ["sh", "-c", "echo other line 1; exec sleep 100000"]
            stop_grace_period: 0s
        """

    @Test func `exec passes arguments, exit code, output, errors and standard input through`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create("services:\n" + idle("app"))
            try await sandbox.mustDeployment("start")
            let coded = try await sandbox.deployment("exec", "app", "sh", "-c", "echo out; echo err >&2; exit 7")
            #expect(coded.status == 7, "\(coded)")
            #expect(coded.output == "out\n" && coded.errors.contains("err"))
            let words = try await sandbox.deployment(
                "exec", "app", "printf", "[%s]", "two words", "", "--flag", "-x", "$HOME")
            #expect(words.output == "[two words][][--flag][-x][$HOME]", "\(words)")
            // Options of the command that `so` knows too are the command's.
            let own = try await sandbox.deployment(
                "exec", "app", "echo", "--debug", "--dir=x", "-i", "-u", "--", "--help")
            #expect(own.output == "--debug --dir=x -i -u -- --help\n" && own.errors.isEmpty, "\(own)")
            let piped = try await sandbox.deployment("exec", "-i", "app", "cat", input: "first\nsecond\n")
            #expect(piped.output == "first\nsecond\n", "\(piped)")
            let killed = try await sandbox.deployment("exec", "app", "sh", "-c", "kill -9 $$")
            #expect(killed.status == 137, "\(killed)")
            let nothing = try await sandbox.deployment("exec", "absent", "true")
            #expect(
                !nothing.succeeded && nothing.errors.contains("absent") && nothing.errors.contains("app"), "\(nothing)")
        }
    }

    @Test func `cp copies files and directories into a service and out of it`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create("services:\n" + idle("app"))
            try await sandbox.mustDeployment("start")
            try write("one\n", to: sandbox.directory + "/a:b/one")
            try await sandbox.mustDeployment("cp", "a:b/one", "app:/tmp/one")
            #expect(try await sandbox.inside("app", "cat", "/tmp/one") == "one")
            try await sandbox.mustDeployment("cp", "app:/tmp/one", sandbox.directory + "/back")
            #expect(try read(sandbox.directory + "/back") == "one\n")
            let none = try await sandbox.deployment("cp", "x", "y")
            #expect(none.status == 64 && none.errors.contains("app"), "\(none)")
            let absent = try await sandbox.deployment("cp", "app:/absent", sandbox.directory)
            #expect(absent.status == 66 && absent.errors.contains("app has no /absent"), "\(absent)")
        }
    }

    @Test(.podmanOnly) func `podman forwards no ports, and the way to publish one is told`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create("services:\n" + idle("app"))
            let refused = try await sandbox.deployment("port-forward", "app", "8080:80")
            #expect(refused.status == 65 && refused.errors.contains("127.0.0.1:8080:80"), "\(refused)")
            #expect(try await sandbox.deployment("port-forward", "app", "x").status == 64)
        }
    }

    @Test(.enabled(if: exists("/usr/bin/script"), "no script(1) on this host"))
    func `exec -it gives the command a terminal`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create("services:\n" + idle("app"))
            try await sandbox.mustDeployment("start")
            let command =
                "\(Sandbox.binary) deployment --dir \(sandbox.deployment) exec -it app sh -c 'tty && stty size; exit 5'"
            var environment = sandbox.environment
            environment["TERM"] = "xterm"
            environment["SHELL"] = "/bin/sh"
            let typed = try await run(
                "/usr/bin/script", ["--quiet", "--return", "--command", command, "/dev/null"], environment: environment)
            #expect(typed.status == 5, "\(typed)")
            #expect(typed.output.contains("/dev/pts/"), "\(typed)")
        }
    }

    @Test func `logs interleave services with prefixes, and tail, since and a service's name choose among them`()
        async throws
    {
        try await withSandbox { sandbox in
            try await sandbox.create(talker)
            try await sandbox.mustDeployment("start")
            try await eventually("both have spoken") {
                let all = try await sandbox.deployment("logs").output
                return all.contains("app line 5") && all.contains("other line 1")
            }
            let all = try await sandbox.mustDeployment("logs").output.split(separator: "\n").map(String.init)
            #expect(all.count == 6, "\(all)")
            #expect(all.filter { $0.hasPrefix("app") && $0.contains("app line") }.count == 5, "\(all)")
            #expect(all.filter { $0.hasPrefix("other") && $0.contains("other line") }.count == 1, "\(all)")
            #expect(!all.joined().contains("\u{1b}"), "no colours when the output is not a terminal")

            let tail = try await sandbox.mustDeployment("logs", "-n", "2", "app").output
            #expect(
                tail.contains("app line 5") && tail.contains("app line 4") && !tail.contains("app line 3"), "\(tail)")
            let future = try await sandbox.mustDeployment("logs", "--since", "0s", "app").output
            #expect(!future.contains("app line"), "\(future)")
            let past = try await sandbox.mustDeployment("logs", "--since", "1h", "app").output
            #expect(past.contains("app line 1"), "\(past)")
            let absent = try await sandbox.deployment("logs", "absent")
            #expect(!absent.succeeded && absent.errors.contains("absent"), "\(absent)")
        }
    }

    @Test func `a line that was written in pieces is one line, also among the last`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(
                """
                services:
                  app:
                    image: IMAGE
                    command: [sh, -c, 'for i in 1 2 3; do printf "a$$i "; sleep 0.2; echo "b$$i"; done; sleep 600']

                """)
            try await sandbox.mustDeployment("start")
            try await eventually("all is said") { try await sandbox.mustDeployment("logs").output.contains("b3") }
            let all = try await sandbox.mustDeployment("logs", "app").output
            #expect(["a1 b1\n", "a2 b2\n", "a3 b3\n"].allSatisfy(all.contains), "\(all)")
            let tail = try await sandbox.mustDeployment("logs", "-n", "1", "app").output
            #expect(tail.hasSuffix("a3 b3\n") && !tail.contains("b2"), "\(tail)")
            let followed = try await sandbox.deployment("logs", "-f", "-n", "1") { running in
                try await eventually("the last line is shown") { running.output.contains("b3") }
                running.interrupt()
            }
            #expect(followed.output.hasSuffix("a3 b3\n") && !followed.output.contains("b2"), "\(followed)")
        }
    }

    @Test func `logs -f goes on with what is said later, and ends by an interrupt`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(
                """
                services:
                  app:
                    image: IMAGE
                    command: ["sh", "-c", "echo early; until [ -f /tmp/go ]; do sleep 0.1; done; echo late; exec sleep 100000"]
                    stop_grace_period: 0s
                """)
            try await sandbox.mustDeployment("start")
            let followed = try await sandbox.deployment("logs", "-f") { running in
                try await eventually("what was said before is shown") { running.output.contains("early") }
                try await sandbox.inside("app", "touch", "/tmp/go")
                try await eventually("what is said later is shown") { running.output.contains("late") }
                running.interrupt()
            }
            #expect(followed.status == 130, "\(followed)")
        }
    }

    @Test func `ps and status name each service and its state, for people and as JSON`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(talker)
            let before = try await sandbox.deployment("status")
            #expect(before.status == 1 && before.output.contains("app"), "what is not started is named too: \(before)")
            try await sandbox.mustDeployment("start")
            for verb in ["ps", "status"] {
                let people = try await sandbox.mustDeployment(verb).output
                #expect(people.contains("app") && people.contains("other"), "\(people)")
                let json = try await sandbox.mustDeployment(verb, "-o", "json").output
                #expect(throws: Never.self) { try JSONDecoder().decode(AnyJSON.self, from: Data(json.utf8)) }
            }
            try await sandbox.mustDeployment("stop")
            let after = try await sandbox.mustDeployment("ps").output
            #expect(!after.contains("unning"), "\(after)")
        }
    }

    @Test func `plan shows what a start would do, and does nothing`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(talker)
            let plan = try await sandbox.mustDeployment("plan")
            #expect(plan.output.contains("app") && plan.output.contains("other"), "\(plan)")
            let dry = try await sandbox.so(["--dry-run", "deployment", "--dir", sandbox.deployment, "start"])
            #expect(dry.succeeded, "\(dry)")
            #expect(try await Podman.named(sandbox.token) == [])
            #expect(!exists(sandbox.deployment + "/.state/generated-secrets.yml"))
        }
    }

    @Test func `the predecessor's spellings still work: up, down, and its flags`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(talker)
            try await sandbox.mustDeployment("up", "--skip-cluster-management")
            #expect(try await sandbox.containers("app").count == 1)
            try await sandbox.mustDeployment("down", "--preserve-volumes", "--skip-cluster-management")
            #expect(try await sandbox.containers("app") == [])
            try await sandbox.mustDeployment("down", "--delete-volumes", "--perform-cluster-management")
        }
    }

    @Test func `stop of what is not running succeeds and says so`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(talker)
            try await sandbox.mustDeployment("stop")
            try await sandbox.mustDeployment("stop", "--delete-volumes")
        }
    }

    @Test func `render takes a compose file from standard input, with paths from the working directory`() async throws {
        try await withPodlessSandbox { sandbox in
            try write("A=1\n", to: sandbox.directory + "/web.env")
            let compose = "services: {web: {image: nginx, env_file: web.env}}\n"
            let rendered = try await sandbox.so(["render", "-f", "-"], input: compose)
            #expect(rendered.succeeded && rendered.output.contains("name: A"), "\(rendered)")
            let broken = try await sandbox.so(["render", "-f", "-"], input: "services: [\n")
            #expect(broken.status == 65 && broken.errors.contains("(standard input):"), "\(broken)")
        }
    }
}

/// Any JSON document, for a check that something is one.
private struct AnyJSON: Decodable {
    init(from decoder: any Decoder) throws {
        if let list = try? decoder.unkeyedContainer() {
            _ = list.count
        } else {
            _ = try decoder.container(keyedBy: AnyKey.self)
        }
    }

    private struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
