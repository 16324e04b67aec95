import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// What verbs of a compose project that is up make of files, profiles, replicas and options that differ from those of its `up`.
@Suite(.pods, .podmanOnly) struct ProjectCommandTests {
    private func folder(_ sandbox: Sandbox) -> String { "\(sandbox.directory)/p-\(sandbox.token)" }

    private func project(_ sandbox: Sandbox, _ arguments: String...) async throws -> Finished {
        try await run(Sandbox.binary, arguments, environment: sandbox.environment, directory: folder(sandbox))
    }

    private func write(_ sandbox: Sandbox, _ compose: String, to file: String = "compose.yaml") throws {
        try TestSupport.write(compose.replacing("IMAGE", with: sandbox.image), to: "\(folder(sandbox))/\(file)")
    }

    private let tool = """
          tool:
            image: IMAGE
            command: ["sleep", "100000"]
            stop_grace_period: 0s
            profiles: [tools]
        """

    @Test func `what is refused is not written down, and an edited file keeps nobody from what runs`() async throws {
        try await withSandbox { sandbox in
            let port = try freePort()
            let published = "services:\n" + idle("web", "    ports: [\"\(port):80\"]")
            try write(sandbox, published)
            let first = try await project(sandbox, "up", "-d", "--scale", "web=2")
            #expect(first.status == 65 && first.errors.contains("cannot share"), "\(first)")
            #expect(try await project(sandbox, "ps").errors.contains("nothing of it runs"))
            #expect(try await project(sandbox, "up", "-d").succeeded)
            let previewed = try await project(sandbox, "--dry-run", "up", "-d", "--scale", "web=2")
            #expect(previewed.status == 65, "\(previewed)")
            #expect(try await project(sandbox, "up", "-d", "--scale", "web=2").status == 65)
            for verb in [["ps"], ["exec", "-T", "web", "true"], ["logs"], ["restart", "web"]] {
                let finished = try await run(
                    Sandbox.binary, verb, environment: sandbox.environment, directory: folder(sandbox))
                #expect(finished.succeeded, "\(verb): \(finished)")
            }
            // The replicas of the last up do not fit the file as it is now.
            try write(sandbox, "services:\n" + idle("web"))
            let plan = try await project(sandbox, "--dry-run", "up", "-d", "--scale", "web=2")
            #expect(plan.succeeded && plan.output.contains("_web.2"), "\(plan)")
            #expect(try await project(sandbox, "up", "-d", "--scale", "web=2").succeeded)
            try write(sandbox, published)
            let ps = try await project(sandbox, "ps", "-q")
            #expect(ps.succeeded && !ps.output.isEmpty, "\(ps)")
            try await clean(sandbox)
        }
    }

    private func clean(_ sandbox: Sandbox) async throws {
        let down = try await project(sandbox, "down", "-v", "-t", "0")
        #expect(down.succeeded, "\(down)")
        #expect(!down.errors.contains("secrets"), "there were none: \(down)")
    }

    @Test func `files and profiles count after the first up, too, and a renamed file is found`() async throws {
        try await withSandbox { sandbox in
            try write(sandbox, "services:\n" + idle("web") + "\n" + tool)
            try write(sandbox, "services:\n" + idle("extra"), to: "tools.yaml")
            #expect(try await project(sandbox, "up", "-d").succeeded)
            for words in [
                ["--profile", "tools", "run", "--rm", "-T", "tool", "echo", "hi"],
                ["run", "--rm", "-T", "tool", "echo", "hi"],
                ["-f", "compose.yaml", "-f", "tools.yaml", "run", "--rm", "-T", "extra", "echo", "hi"],
            ] {
                let ran = try await run(
                    Sandbox.binary, words, environment: sandbox.environment, directory: folder(sandbox))
                #expect(ran.output == "hi\n", "\(words): \(ran)")
            }
            let all = try await project(sandbox, "-f", "compose.yaml", "-f", "tools.yaml", "ps", "-a", "--services")
            #expect(all.output == "web\nextra\n", "\(all)")
            #expect(
                try await project(sandbox, "ps", "-a", "--services").output == "web\n", "only where it is asked for")

            // What runs of an inactive profile is no orphan, and answers to its name.
            #expect(try await project(sandbox, "up", "-d", "tool").succeeded)
            let up = try await project(sandbox, "up", "-d", "--remove-orphans")
            #expect(up.succeeded && !up.errors.contains("warning"), "\(up)")
            let inside = try await project(sandbox, "exec", "-T", "tool", "echo", "there")
            #expect(inside.output == "there\n", "\(inside)")

            try FileManager.default.moveItem(
                atPath: "\(folder(sandbox))/compose.yaml", toPath: "\(folder(sandbox))/docker-compose.yml")
            let renamed = try await project(sandbox, "exec", "-T", "web", "echo", "here")
            #expect(renamed.output == "here\n", "\(renamed)")

            try write(sandbox, "services:\n" + idle("other"), to: "docker-compose.yml")
            let orphans = try await project(sandbox, "up", "-d")
            #expect(
                orphans.errors.contains("these services are no longer in the compose files: tool, web"), "\(orphans)")
            try await clean(sandbox)
        }
    }

    @Test func `hints are of the project's own verbs and files`() async throws {
        try await withSandbox { sandbox in
            let port = try freePort()
            try write(sandbox, "services:\n" + idle("web", "    ports: [\"\(port):80\"]") + "\n" + idle("app"))
            #expect(try await project(sandbox, "up", "-d", "--scale", "app=3").succeeded)
            let none = try await project(sandbox, "exec", "-T", "--index", "5", "app", "true")
            #expect(none.status == 1 && none.errors.contains("app has 3 replicas: --index is 1 to 3"), "\(none)")
            #expect(try await project(sandbox, "exec", "-T", "--index", "3", "app", "true").succeeded)
            #expect(try await project(sandbox, "logs", "--index", "4", "app").status == 1)
            #expect(try await project(sandbox, "stop", "web").succeeded)
            let stopped = try await project(sandbox, "exec", "-T", "web", "true")
            #expect(stopped.errors.contains("hint: so start\n"), "\(stopped)")
            let unpublished = try await project(sandbox, "port", "web", "80")
            #expect(unpublished.status == 1 && unpublished.errors.contains("web is not running"), "\(unpublished)")

            // Somebody else takes the port meanwhile.
            let other = "\(sandbox.directory)/o-\(sandbox.token)"
            let taken = "services:\n" + idle("app", "    ports:\n      - \"\(port):80\"")
            try TestSupport.write(taken.replacing("IMAGE", with: sandbox.image), to: "\(other)/compose.yaml")
            #expect(try await sandbox.so(["-f", "\(other)/compose.yaml", "up", "-d"]).succeeded)
            let refused = try await project(sandbox, "start", "web")
            #expect(refused.errors.contains("under `ports:` of web (\(folder(sandbox))/compose.yaml:6:"), "\(refused)")
            #expect(try await sandbox.so(["-f", "\(other)/compose.yaml", "down"]).succeeded)
            try await clean(sandbox)
        }
    }

    @Test func `exec, logs, port, run and ps take the options of docker compose`() async throws {
        try await withSandbox { sandbox in
            let line = "    command: [\"sh\", \"-c\", \"echo a line; exec sleep 100000\"]"
            let web = idle("web").replacing("    command: [\"sleep\", \"100000\"]", with: line)
            try write(sandbox, "services:\n" + web + "    ports: [\"80\"]\n    environment: {A: one}\n")
            try TestSupport.write("A=two\nB=a b\n", to: "\(folder(sandbox))/more.env")
            let up = try await project(
                sandbox, "--ansi", "never", "--progress=plain", "--parallel", "4", "--compatibility",
                "--all-resources", "up", "-d")
            #expect(up.succeeded, "\(up)")
            #expect(try await project(sandbox, "exec", "-d", "web", "sh", "-c", "echo done > /tmp/it").succeeded)
            try await eventually("the command that was left behind has run") {
                try await project(sandbox, "exec", "-T", "web", "cat", "/tmp/it").output == "done\n"
            }
            #expect(try await project(sandbox, "exec", "-T", "--privileged", "web", "true").succeeded)
            #expect(try await project(sandbox, "port", "--index", "1", "web", "80").succeeded)
            #expect(try await project(sandbox, "port", "--index", "2", "web", "80").status == 1)

            #expect(try await project(sandbox, "logs", "--until", "2001-01-31", "web").output == "")
            #expect(
                try await project(sandbox, "logs", "--since", "2001-01-31", "--until", "2101-01-31").output.contains(
                    "a line"))
            for option in ["--since", "--until"] {
                let invalid = try await project(sandbox, "logs", option, "yesterday")
                #expect(invalid.status == 64 && invalid.errors.contains("`yesterday` is not one"), "\(invalid)")
            }

            let ran = try await project(
                sandbox, "run", "-q", "--quiet-pull", "--rm", "-T", "--cap-add", "NET_ADMIN", "--env-from-file",
                "more.env", "web", "sh", "-c", "echo $A $B; grep CapEff /proc/self/status")
            let plain = try await project(
                sandbox, "run", "--rm", "-T", "web", "sh", "-c", "echo $A $B; grep CapEff /proc/self/status")
            #expect(ran.output.hasPrefix("two a b\n") && plain.output.hasPrefix("one\n"), "\(ran) \(plain)")
            #expect(ran.output.split(separator: "\n").last != plain.output.split(separator: "\n").last, "\(ran)")

            let listed = try await project(sandbox, "ps", "--format", "json")
            let name = "p-\(sandbox.token)"
            for part in [
                "\"Name\":\"so-\(name)_web\"", "\"Service\":\"web\"", "\"Project\":\"\(name)\"",
                "\"State\":\"running\"",
                "\"ExitCode\":0", "\"Health\":\"\"", "\"TargetPort\":80", "\"Protocol\":\"tcp\"",
            ] {
                #expect(listed.output.contains(part), "\(part): \(listed)")
            }
            #expect(listed.output.split(separator: "\n").count == 1, "\(listed)")
            #expect(try await project(sandbox, "ps", "-o", "json").output.contains("\"service\": \"web\""))

            #expect(
                try await project(sandbox, "run", "-d", "--name", "one-\(name)", "web", "sleep", "100000").succeeded)
            #expect(try await project(sandbox, "ps", "-a", "-q").output == "so-\(name)_web\none-\(name)\n")
            #expect(try await project(sandbox, "ps", "-q").output == "so-\(name)_web\n")
            try await clean(sandbox)
        }
    }

    @Test func `restart and --force-recreate run a service again that has ended`() async throws {
        try await withSandbox { sandbox in
            try write(
                sandbox,
                """
                services:
                  once:
                    image: IMAGE
                    command: ["sh", "-c", "echo run >> /seen/runs"]
                    volumes: ["./seen:/seen"]
                    restart: "no"
                  web:
                    image: IMAGE
                    command: ["sleep", "100000"]
                    stop_grace_period: 0s
                    depends_on: {once: {condition: service_completed_successfully}}
                """)
            let runs = "\(folder(sandbox))/seen/runs"
            #expect(try await project(sandbox, "up", "-d").succeeded)
            #expect(try await project(sandbox, "up", "-d").succeeded)
            #expect(try read(runs) == "run\n")
            let restart = try await project(sandbox, "restart", "once")
            #expect(restart.succeeded, "\(restart)")
            #expect(try read(runs) == "run\nrun\n", "\(restart)")
            #expect(try await project(sandbox, "up", "-d", "--force-recreate").succeeded)
            #expect(try read(runs) == "run\nrun\nrun\n")
            #expect(try await project(sandbox, "restart").succeeded)
            #expect(try read(runs) == "run\nrun\nrun\nrun\n")
            try await clean(sandbox)
        }
    }

    @Test(.podmanOnly) func `a second interrupt of an attached up ends it at once, and what ends is not waited for`()
        async throws
    {
        try await withSandbox { sandbox in
            let stubborn = """
                services:
                  web:
                    image: IMAGE
                    command: ["sh", "-c", "trap '' TERM; while true; do sleep 1; done"]
                    stop_grace_period: 60s
                """
            try write(sandbox, stubborn)
            let up = try await run(
                Sandbox.binary, ["up"], environment: sandbox.environment, directory: folder(sandbox)
            ) { running in
                try await eventually("it follows the logs") { running.errors.contains("following the logs") }
                running.interrupt()
                try await eventually("it stops") { running.errors.contains("stopping;") }
                running.interrupt()
                try await eventually(within: 30, "it is gone long before the services are") { !running.isAlive }
            }
            #expect(up.status == 130, "\(up)")
            let down = try await project(sandbox, "down", "-t", "0")
            #expect(down.succeeded, "\(down)")
        }
    }

    @Test func `a run takes the deployment's lock while it makes what it needs, and leaves other replicas alone`()
        async throws
    {
        try await withSandbox { sandbox in
            try write(sandbox, "services:\n" + idle("web"))
            #expect(try await project(sandbox, "up", "-d", "--scale", "web=2").succeeded)
            let kept = try await project(sandbox, "ps", "-q")
            #expect(kept.output.split(separator: "\n").count == 2, "\(kept)")
            let locks = try FileManager.default.subpathsOfDirectory(atPath: sandbox.directory + "/home").filter {
                $0.hasSuffix(".state/lock")
            }
            let lock = open(sandbox.directory + "/home/" + (try #require(locks.first, "\(locks)")), O_RDWR | O_CLOEXEC)
            defer { close(lock) }
            #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
            let ran = try await run(
                Sandbox.binary, ["run", "--rm", "-T", "web", "echo", "ran"], environment: sandbox.environment,
                directory: folder(sandbox)
            ) { running in
                try await eventually("it waits for the lock") { running.errors.contains("wait") }
                #expect(!running.output.contains("ran"))
                flock(lock, LOCK_UN)
            }
            #expect(ran.output == "ran\n", "\(ran)")
            #expect(try await project(sandbox, "ps", "-q").output == kept.output)
            try await clean(sandbox)
        }
    }

    @Test func `exec -e NAME hands on the value that the caller has, and none of it is in an argument`() async throws {
        try await withSandbox { sandbox in
            try write(sandbox, "services:\n" + idle("web"))
            #expect(try await project(sandbox, "up", "-d").succeeded)
            for options in [["-e", "TOKEN"], ["--env", "TOKEN", "-e", "OTHER=b"]] {
                let seen = try await run(
                    Sandbox.binary, ["exec", "-T"] + options + ["web", "sh", "-c", "echo $TOKEN $OTHER"],
                    environment: sandbox.environment.merging(["TOKEN": "mine"]) { $1 }, directory: folder(sandbox))
                #expect(seen.output == (options.count == 2 ? "mine\n" : "mine b\n"), "\(seen)")
            }
            try await clean(sandbox)
        }
    }

    @Test func `a pre_stop command that does not end has the grace of its service, and no more`() async throws {
        try await withSandbox { sandbox in
            let hook = """
                    pre_stop: [{command: [sh, -c, "echo begun >/seen/hook; sleep 100000"]}]
                    volumes: ["./seen:/seen"]

                """
            try write(
                sandbox,
                "services:\n" + idle("web", hook).replacing("stop_grace_period: 0s", with: "stop_grace_period: 2s"))
            #expect(try await project(sandbox, "up", "-d").succeeded)
            let replaced = try await project(sandbox, "up", "-d", "--force-recreate")
            #expect(
                replaced.succeeded && replaced.errors.contains("did not end within its grace of 2 s"), "\(replaced)")
            #expect(try read(folder(sandbox) + "/seen/hook") == "begun\n")
            let down = try await project(sandbox, "down")
            #expect(down.succeeded && down.errors.contains("did not end within its grace of 2 s"), "\(down)")
            #expect(try await project(sandbox, "up", "-d").succeeded)
            let atOnce = try await project(sandbox, "down", "-v", "-t", "0")
            #expect(atOnce.succeeded && !atOnce.errors.contains("grace"), "\(atOnce)")
        }
    }
}
