import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite(.pods, .debian) struct LastingWorkspaceTests {
    private func withProject(_ body: (WorkspaceScenario) async throws -> Void) async throws {
        try await withWorkspaces { scenario in
            try await scenario.define("user: 1000:1000\n")
            chmod(scenario.sandbox.directory, 0o755)
            _ = try await run(
                "chown", ["-R", "1000:1000", scenario.project.directory], environment: Podman.environment)
            var failure: (any Error)?
            do { try await body(scenario) } catch { failure = error }
            _ = try await scenario.so("workspace", "destroy", "--no-definition")
            if let failure { throw failure }
        }
    }

    @Test func `a command runs in the project's own folder as its owner, and the workspace stops behind it`()
        async throws
    {
        try await withProject { scenario in
            let script = "pwd; id -u; echo x >made.txt; echo kept >~/note"
            let output = try await scenario.must("workspace", "exec", "sh", "-c", script)
            #expect(output == "\(scenario.project.directory)\n1000")
            #expect(try owner(scenario.project.directory + "/made.txt") == 1000)
            #expect(try await scenario.must("workspace", "status").contains("stopped"))
            #expect(try await scenario.must("workspace", "exec", "cat", "/home/agent/note") == "kept")
            #expect(try await scenario.so("workspace", "exec", "sh", "-c", "exit 9").status == 9)
        }
    }

    @Test func `so workspace alone asks, builds, starts and opens a shell; several terminals share it`() async throws {
        try await withProject { scenario in
            let directory = scenario.project.directory
            removeTree(directory + "/workspace.yml")
            try write(
                "workspace: {agent: scripted}\nbase-image: \(scenario.image)\n",
                to: scenario.sandbox.directory + "/home/.config/so/settings.yml")
            let dry = try await scenario.so("workspace")
            #expect(dry.status == 65 && dry.errors.contains("no terminal to ask at"), "\(dry)")
            try write("image: \(scenario.image)\nagent: scripted\nuser: 1000:1000\n", to: directory + "/workspace.yml")
            let status = try await scenario.sandbox.soAtTerminal(["workspace"], directory: directory) { first in
                try await eventually("what is trusted is said") { first.text.contains("can change all of") }
                try await first.ask("echo shell-$((40 + 2)) $(pwd)", "shell-42 \(directory)")
                let second = try await scenario.sandbox.soAtTerminal(["workspace"], directory: directory) { second in
                    try await second.ask("echo other-$((40 + 3))", "other-43")
                    second.type("exit\r")
                }
                #expect(second == 0)
                #expect(try await scenario.must("workspace", "status").contains("running"))
                first.type("exit\r")
                try await eventually("the last one stops it") { first.text.contains("the workspace has stopped") }
            }
            #expect(status == 0)
            #expect(try await scenario.must("workspace", "ls").contains("stopped"))
        }
    }

    @Test
    func `databases and the project's services are beside it, on the project's own folders, and its ports answer`()
        async throws
    {
        try await withProject { scenario in
            let settings = "database-images: {redis: \(try await DebianImage.redis())}\n"
            try write(settings, to: scenario.sandbox.directory + "/home/.config/so/settings.yml")
            let busybox = try await Podman.testImage()
            let serve = "exec nc -ll -p 8000 -e cat /site/index.html"
            let directory = scenario.project.directory
            try FileManager.default.createDirectory(atPath: directory + "/site", withIntermediateDirectories: true)
            try write("the page\n", to: directory + "/site/index.html")
            try write(
                """
                services:
                  web:
                    image: \(busybox)
                    command: ["/bin/sh", "-c", "\(serve)"]
                    volumes: ["./site:/site"]
                    stop_grace_period: 1s
                """, to: directory + "/compose.yml")
            try write(
                """
                image: \(scenario.image)
                agent: scripted
                user: 1000:1000
                compose: compose.yml
                databases: [redis]
                ports: [3000]
                environment: {TZ: Asia/Tokyo}
                """, to: directory + "/workspace.yml")
            _ = try await run(
                "chown", ["-R", "1000:1000", scenario.project.directory], environment: Podman.environment)
            try await scenario.must("workspace", "up", "--detach")
            func inside(_ script: String) async throws -> String {
                try await scenario.must("workspace", "exec", "-T", "bash", "-c", script)
            }
            #expect(try await inside("timeout 5 redis-cli -u $REDIS_URL ping") == "PONG")
            let ask = "exec 3<>/dev/tcp/web/8000; timeout 5 cat <&3"
            #expect(try await inside(ask) == "the page")
            #expect(try await inside("echo changed >site/index.html; \(ask)") == "changed")
            #expect(try read(scenario.project.directory + "/site/index.html") == "changed\n")
            #expect(try await inside("echo $TZ") == "Asia/Tokyo")
            let status = try await scenario.must("workspace", "status", "-o", "json")
            let port = try #require(
                status.split(separator: ".localhost:").dropFirst().first.flatMap { Int($0.prefix(4)) })
            let server = Task {
                try await scenario.must(
                    "workspace", "exec", "-T", "perl", "-MIO::Socket::INET", "-e",
                    "$s = IO::Socket::INET->new(LocalAddr => '0.0.0.0', LocalPort => 3000, Listen => 5); $c = $s->accept; <$c>; print $c \"HTTP/1.0 200 OK\\r\\n\\r\\nhello\"; close $c"
                )
            }
            try await eventually("its port answers") {
                let page = try await run("curl", ["-sS", "-m", "5", "http://127.0.0.1:\(port)/"], environment: [:])
                return page.output == "hello"
            }
            _ = try await server.value
            try await scenario.must("workspace", "stop")
            #expect(try await scenario.must("workspace", "exec", "-T", "bash", "-c", ask) == "changed")
        }
    }

    @Test func `a terminal that dies stops the workspace, unless it is kept running`() async throws {
        try await withProject { scenario in
            func openAndHangUp() async throws {
                _ = try await scenario.sandbox.soAtTerminal(["workspace"], directory: scenario.project.directory) {
                    terminal in
                    try await terminal.ask("echo shell-$((40 + 2))", "shell-42")
                    terminal.hangUp()
                }
            }
            try await openAndHangUp()
            #expect(try await scenario.must("workspace", "status").contains("stopped"))
            try await scenario.must("workspace", "up", "--detach")
            try await openAndHangUp()
            #expect(try await scenario.must("workspace", "status").contains("running"))
            try await scenario.must("workspace", "stop")
            #expect(try await scenario.must("workspace", "status").contains("stopped"))
        }
    }

    @Test func `a new definition is brought in by reprovision, and a build that fails leaves the old one running`()
        async throws
    {
        try await withProject { scenario in
            let file = scenario.project.directory + "/workspace.yml"
            let definition = try read(file)
            try await scenario.must("workspace", "up", "--detach")
            let unchanged = try await scenario.so("workspace", "reprovision")
            #expect(unchanged.succeeded && unchanged.errors.contains("unchanged"), "\(unchanged)")
            try write(definition + "environment: {COLOR: blue}\nsetup: [\"echo set up >>~/setup\"]\n", to: file)
            let noted = try await scenario.so("workspace", "up", "--detach")
            #expect(noted.errors.contains("so workspace reprovision"), "\(noted)")
            try await scenario.must("workspace", "reprovision")
            let seen = "echo $COLOR; cat ~/setup"
            #expect(try await scenario.must("workspace", "exec", "sh", "-c", seen) == "blue\nset up")
            try write("build: .\nagent: scripted\nuser: 1000:1000\n", to: file)
            try write("FROM \(scenario.image)\nRUN exit 5\n", to: scenario.project.directory + "/Containerfile")
            let failed = try await scenario.so("workspace", "reprovision")
            #expect(failed.status == 1 && failed.errors.contains("exit code 5"), "\(failed)")
            #expect(try await scenario.must("workspace", "exec", "sh", "-c", seen) == "blue\nset up")
            try await scenario.must("workspace", "destroy", "--definition")
            #expect(!exists(file) && exists(scenario.project.directory + "/a.txt"))
            #expect(try await scenario.so("workspace", "stop").status == 66)
        }
    }

    @Test func `what a killed command left is healed by the next one`() async throws {
        try await withProject { scenario in
            let records = scenario.sandbox.directory + "/home/.local/state/so/workspaces"
            try await scenario.must("workspace", "up", "--detach")
            let name = try #require(
                try FileManager.default.contentsOfDirectory(atPath: records).first { $0.hasPrefix(scenario.folder) })
            let record = "\(records)/\(name)/lasting/record.json"
            func set(_ state: String) throws {
                let text = try read(record)
                let states = ["starting", "running", "stopping", "stopped", "destroying"]
                let old = try #require(states.first { text.contains("\"state\" : \"\($0)\"") })
                try write(
                    text.replacing("\"state\" : \"\(old)\"", with: "\"state\" : \"\(state)\""), to: record, mode: 0o600)
            }
            try set("starting")
            #expect(try await scenario.must("workspace", "status").contains("interrupted"))
            #expect(try await scenario.must("workspace", "exec", "echo", "healed") == "healed")
            try await scenario.must("workspace", "exec", "sh", "-c", "echo old >~/note")
            try await scenario.must("workspace", "up", "--detach")
            // What stops the pods has outlived its command: the pod that is there yet is nobody's to work in.
            let before = try await Podman.lines("ps", "--no-trunc", "--quiet", "--filter", "name=w-\(scenario.folder)")
            try set("stopping")
            #expect(try await scenario.must("workspace", "status").contains("interrupted"))
            try await scenario.must("workspace", "up", "--detach")
            let after = try await Podman.lines("ps", "--no-trunc", "--quiet", "--filter", "name=w-\(scenario.folder)")
            #expect(!before.isEmpty && !after.isEmpty && Set(before).isDisjoint(with: after))
            #expect(try await scenario.must("workspace", "exec", "cat", "/home/agent/note") == "old")
            try set("destroying")
            #expect(
                try await scenario.must("workspace", "exec", "sh", "-c", "cat ~/note 2>&1 || true").contains(
                    "No such file"))
            for process in try await Podman.lines("pod", "ps", "--format", "{{.Name}}")
            where process.contains("w-\(scenario.folder)") {
                _ = try await Podman.run(["pod", "rm", "--force", "--time", "0", process])
            }
            #expect(try await scenario.must("workspace", "exec", "echo", "again") == "again")
        }
    }

    @Test func `a workspace of which this host has nothing any more is found by its labels, and taken up or removed`()
        async throws
    {
        try await withProject { scenario in
            let state = scenario.sandbox.directory + "/home/.local/state/so"
            func lose() {
                for name in ["workspaces", "keeper"] { removeTree("\(state)/\(name)") }
            }
            try await scenario.must("workspace", "up", "--detach")
            try await scenario.must("workspace", "exec", "sh", "-c", "echo kept >~/note")
            lose()
            let listed = try await scenario.so("workspace", "ls")
            #expect(
                listed.output.contains("orphaned") && listed.errors.contains(scenario.project.directory), "\(listed)")
            let kept = try await scenario.so("workspace", "cleanup")
            #expect(kept.succeeded && kept.output == "" && kept.errors.contains("home stays"), "\(kept)")
            #expect(try await scenario.must("workspace", "exec", "cat", "/home/agent/note") == "kept")
            #expect(try await !scenario.must("workspace", "ls").contains("orphaned"))
            lose()
            let dry = try await scenario.must("workspace", "cleanup", "--delete-volumes", "--dry-run")
            #expect(dry.hasPrefix("w-\(scenario.folder)"), "\(dry)")
            #expect(try await scenario.left() != [])
            #expect(try await scenario.must("workspace", "cleanup", "--delete-volumes") == dry)
            #expect(try await scenario.left() == [])
            try await scenario.must("workspace", "up", "--detach")
            lose()
            try await scenario.must("workspace", "destroy", "--no-definition")
            #expect(try await scenario.left() == [])
        }
    }

    @Test func `a workspace whose project is gone is named, and its home goes when that is asked for`() async throws {
        try await withProject { scenario in
            let project = scenario.project.directory
            try await scenario.must("workspace", "exec", "sh", "-c", "echo kept >~/note")
            try FileManager.default.moveItem(atPath: project, toPath: project + ".gone")
            defer { try? FileManager.default.moveItem(atPath: project + ".gone", toPath: project) }
            func outside(_ words: String...) async throws -> Finished {
                try await run(
                    Sandbox.binary, ["workspace"] + words, environment: scenario.sandbox.environment,
                    directory: scenario.sandbox.directory)
            }
            let listed = try await outside("ls")
            #expect(listed.output.contains("stopped") && listed.errors.contains("has no project any more"), "\(listed)")
            let kept = try await outside("cleanup")
            #expect(kept.succeeded && kept.output == "" && kept.errors.contains("home stays"), "\(kept)")
            let removed = try await outside("cleanup", "--delete-volumes")
            #expect(removed.succeeded && removed.output.hasPrefix("w-\(scenario.folder)"), "\(removed)")
            #expect(try await scenario.left() == [])
            #expect(try await outside("ls", "--quiet").output == "")
        }
    }

    @Test func `a home directory is not a project, and root's is not entered by accident`() async throws {
        try await withWorkspaces { scenario in
            let home = scenario.sandbox.directory + "/home"
            try write("image: \(scenario.image)\nagent: scripted\nuser: 1000:1000\n", to: home + "/workspace.yml")
            let refused = try await scenario.so("workspace", "exec", "-C", home, "true")
            #expect(refused.status == 77 && refused.errors.contains("is not a project"), "\(refused)")
            let root = try await scenario.so("workspace", "exec", "true")
            #expect(root.status == 65 && root.errors.contains("belongs to root"), "\(root)")
        }
    }

    private func owner(_ path: String) throws -> UInt32 {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status.st_uid
    }
}
