import FoundationEssentials
import TestSupport
import Testing

@Suite(.pods, .debian) struct SessionTests {
    @Test func `a prompt is worked on without a terminal, told as it goes, and its work is on a branch`() async throws {
        try await withWorkspaces { scenario in
            try scenario.declare(headless: "echo \"asked: $1\"; echo done >done.txt")
            let finished = try await scenario.so("session", "--prompt", "the \"text\"")
            #expect(finished.succeeded, "\(finished)")
            #expect(finished.output == "asked: the \"text\"\n")
            let id = try #require(scenario.sessions.first)
            #expect(finished.errors.contains("the work of session \(id) is on so/\(id)"))
            #expect(try await scenario.project.git("show", "so/\(id):done.txt") == "done")
            #expect(try await scenario.project.git("status", "--porcelain") == "")
            #expect(try await scenario.must("session", "ls", "--quiet") == "")
            #expect(try await scenario.must("session", "ls", "--quiet", "--closed") == id)

            let piped = try await scenario.so("session", "--prompt", "-", "--on-exit", "discard", input: "from a pipe")
            #expect(piped.output == "asked: from a pipe\n", "\(piped)")
            #expect(piped.errors.contains("is discarded"))
            let other = try #require(scenario.sessions.first { $0 != id })
            let back = try await scenario.so("session", "finish", String(other.prefix(6)), "--on-exit", "keep")
            #expect(back.succeeded && back.errors.contains("is on so/\(other)"), "\(back)")
            #expect(try await scenario.project.git("show", "so/\(other):done.txt") == "done")
        }
    }

    @Test func `containers are built and run inside where the workspace has podman, and get no further than the agent`()
        async throws
    {
        try await withWorkspaces { scenario in
            let busybox = "/bin/busybox"
            try FileManager.default.copyItem(atPath: busybox, toPath: scenario.project.directory + "/busybox")
            try await scenario.project.git("add", "busybox")
            try await scenario.define("tools: [docker]\n")
            let file =
                #"FROM scratch\nCOPY --chown=33:33 busybox /bin/busybox\nRUN [\"/bin/busybox\",\"touch\",\"/made\"]\n"#
            try scenario.declare(
                headless: """
                    printf "\(file)" >Containerfile && podman build -q -t inside . >/dev/null &&
                    docker run --rm inside /bin/busybox stat -c 'owner %u' /bin/busybox /made &&
                    docker run --rm inside /bin/busybox nc -w 2 1.1.1.1 443 </dev/null || echo held back
                    """)
            let finished = try await scenario.so("session", "--prompt", "x", "--on-exit", "discard")
            #expect(finished.output.contains("owner 33\nowner 0\n"), "\(finished)")
            #expect(finished.output.contains("held back"), "\(finished)")
            #expect(!finished.errors.contains("tools: [podman]"), "\(finished)")
        }
    }

    @Test func `what a killed build left goes with the next command`() async throws {
        try await withWorkspaces { scenario in
            let file = "FROM \(scenario.image)\nRUN sleep 8 # \(scenario.sandbox.token)\n"
            try await scenario.project.commit(
                ["workspace.yml": "build: .\nagent: scripted\n", "Containerfile": file], "build")
            let directory = scenario.sandbox.directory + "/home/.local/state/so/sessions"
            var build: String?
            _ = try await scenario.so("session", "--prompt", "x") { running in
                try await eventually("the egress of the build runs") {
                    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
                    build = names.first { exists("\(directory)/\($0)/build") }
                    guard let build else { return !running.isAlive }
                    return try await Podman.lines("ps", "--format", "{{.Names}}").contains("so-\(build)_egress_egress")
                }
                running.killNow()
            }
            let left = try #require(build)
            #expect(try await Podman.named(left) != [])
            #expect(try await scenario.must("session", "ls", "--quiet") == "")
            #expect(try await Podman.named(left) == [])
            #expect(!exists("\(directory)/\(left)"))
        }
    }

    @Test func `an agent that fails is told, and its work is not merged`() async throws {
        try await withWorkspaces { scenario in
            try scenario.declare(headless: "echo x >x.txt; echo it went wrong; exit 4")
            let finished = try await scenario.so("session", "--prompt", "do", "--on-exit", "merge")
            #expect(finished.status == 1)
            #expect(finished.errors.contains("error: the agent failed (exit code 4): it went wrong"), "\(finished)")
            let id = try #require(scenario.sessions.first)
            try scenario.declare(headless: "echo said; echo the reason >&2; exit 3")
            let complaining = try await scenario.so("session", "--prompt", "do", "--on-exit", "discard")
            #expect(complaining.errors.contains("the agent failed (exit code 3): the reason"), "\(complaining)")
            #expect(try await scenario.project.git("show", "so/\(id):x.txt") == "x")
            #expect(!exists(scenario.project.directory + "/x.txt"))
        }
    }

    @Test func `what cannot work is said before anything is made, with what to do`() async throws {
        try await withWorkspaces { scenario in
            func refused(_ words: String, _ hint: String, _ status: Int, _ arguments: String...) async throws {
                let finished = try await scenario.sandbox.so(
                    ["session", "--prompt", "x", "-C", scenario.project.directory] + arguments)
                #expect(finished.status == status, "\(finished)")
                #expect(finished.errors.contains(words) && finished.errors.contains("hint: "), "\(finished)")
                #expect(finished.errors.contains(hint), "\(finished)")
            }
            try await refused("no agent `nobody`", "there are", 66, "--agent", "nobody")
            try await refused("no credential of anthropic", "so auth login anthropic", 69, "--agent", "claude-code")
            try await refused("invalid", "--help", 64, "--on-exit", "burn")
            try await refused("invalid repository", "https", 65, "--repository", "ext::sh -c id")
            try write(
                "image: \(scenario.image)\nagent: scripted\npass: [SO_ABSENT]\n",
                to: scenario.project.directory + "/workspace.yml")
            try await refused("SO_ABSENT", "export SO_ABSENT", 66)
            try write("images: x\n", to: scenario.project.directory + "/workspace.yml")
            try await refused("workspace.yml:1:1", "image", 65)
            let outside = try await scenario.sandbox.so(["session", "--prompt", "x"])
            #expect(outside.status == 66 && outside.errors.contains("is in no git repository"), "\(outside)")
            let noTerminal = try await scenario.so("session")
            #expect(noTerminal.status == 64 && noTerminal.errors.contains("--prompt"), "\(noTerminal)")
            #expect(scenario.sessions == [])
        }
    }

    @Test func `a detached session is looked at, worked in, stopped, resumed and finished`() async throws {
        try await withWorkspaces { scenario in
            try scenario.declare(headless: "echo started; echo work >work.txt; exec sleep 1000")
            let id = try await scenario.must("session", "--detach", "--prompt", "work")
            #expect(scenario.sessions == [id])
            let listed = try await scenario.must("session", "ls")
            #expect(listed.contains("\(id)   \(scenario.folder)   scripted   running"), "\(listed)")
            try await eventually("it has started") { try await scenario.must("session", "logs", id) == "started" }
            #expect(try await scenario.must("session", "exec", id, "cat", "work.txt") == "work")
            #expect(try await scenario.so("session", "exec", id, "sh", "-c", "exit 7").status == 7)
            #expect(try await scenario.must("session", "diff", id).contains("+work"))
            #expect(try await scenario.must("session", "diff", "--stat").contains("work.txt"))
            let copy = scenario.sandbox.directory + "/copied.txt"
            try await scenario.must("session", "cp", "\(id):work.txt", copy)
            #expect(try read(copy) == "work\n")
            try write("from here\n", to: copy)
            try await scenario.must("session", "cp", copy, "\(id):in.txt")
            #expect(try await scenario.must("session", "exec", id, "cat", "in.txt") == "from here")
            let nowhere = try await scenario.so("session", "cp", copy, "\(id):no/such/in.txt")
            #expect(nowhere.status == 66 && nowhere.errors.contains("/no/such"), "\(nowhere)")
            let forward = try await scenario.so("session", "forward", id, "3000")
            #expect(forward.status == 69 && forward.errors.contains("`ports: [3000]` in workspace.yml"), "\(forward)")
            #expect(try await scenario.must("session", "status", id, "-o", "json").contains("\"state\": \"running\""))
            try await scenario.must("session", "stop", id)
            #expect(try await scenario.must("session", "ls").contains("stopped"))
            #expect(try await scenario.so("session", "url", id).status == 66)
            #expect(try await scenario.must("session", "logs", id) == "started")
            for words in [["exec", id, "true"], ["cp", "\(id):work.txt", copy]] {
                let down = try await run(
                    Sandbox.binary, ["session"] + words, environment: scenario.sandbox.environment,
                    directory: scenario.project.directory)
                #expect(down.status == 1 && down.errors.contains("so session resume \(id)"), "\(down)")
            }
            #expect(try await scenario.must("session", "resume", "--detach", id) == id)
            #expect(try await scenario.must("session", "ls").contains("running"))
            let end = try await scenario.so("session", "finish", id, "--on-exit", "merge")
            #expect(end.succeeded && end.errors.contains("is merged into main"), "\(end)")
            #expect(try read(scenario.project.directory + "/work.txt") == "work\n")
            #expect(try read(scenario.project.directory + "/in.txt") == "from here\n")
            for verb in ["stop", "resume"] {
                let over = try await scenario.so("session", verb, id)
                #expect(over.status == 1 && over.errors.contains("session \(id) is over"), "\(over)")
            }
            #expect(try await scenario.must("session", "ls", "--quiet") == "")
            let again = try await scenario.so("session", "finish", id)
            #expect(again.succeeded && again.errors.contains("is merged into main"), "it is so already: \(again)")
        }
    }

    @Test func `a session of a repository that is not here begins with its clone`() async throws {
        try await withWorkspaces { scenario in
            let parent = scenario.sandbox.directory + "/elsewhere"
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            try scenario.declare(headless: "echo x >x.txt")
            let finished = try await scenario.sandbox.so([
                "session", "-C", parent, "--repository", scenario.project.directory, "--prompt", "x",
            ])
            #expect(finished.succeeded, "\(finished)")
            let id = try #require(scenario.sessions.first)
            #expect(try await GitRepository(at: parent + "/" + scenario.folder).git("show", "so/\(id):x.txt") == "x")
            let initialized = try await scenario.sandbox.so([
                "workspace", "init", "-C", parent, "--repository", scenario.project.directory, "other", "--force",
                "--yes",
            ])
            #expect(initialized.succeeded && exists(parent + "/other/workspace.yml"), "\(initialized)")
        }
    }

    @Test func `ten sessions of one project at once are each on a branch of its own`() async throws {
        try await withWorkspaces { scenario in
            try scenario.declare(headless: "echo \"$1\" >own.txt")
            try await scenario.must("workspace", "image", "build", "--agent", "scripted")
            try await withThrowingTaskGroup(of: Finished.self) { group in
                for number in 0..<10 {
                    group.addTask { try await scenario.so("session", "--prompt", "number \(number)") }
                }
                for try await finished in group { #expect(finished.succeeded, "\(finished)") }
            }
            var texts: Set<String> = []
            for id in scenario.sessions { texts.insert(try await scenario.project.git("show", "so/\(id):own.txt")) }
            #expect(texts == Set((0..<10).map { "number \($0)" }))
        }
    }
}
