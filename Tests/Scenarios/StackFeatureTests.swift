import FoundationEssentials
import TestSupport
import Testing

/// What a stack.yml can ask for besides its pods: hooks, commands, values handed over, other stacks.
@Suite(.pods) struct StackFeatureTests {
    private func compose(_ services: String...) -> String { "services:\n" + services.joined(separator: "\n") }

    private func create(_ sandbox: Sandbox, _ stack: String? = nil) async throws {
        if let stack {
            try write("stack: \(stack)\n\(sandbox.targetLines())", to: sandbox.specFile)
        } else {
            try sandbox.writeSpec()
        }
        try await sandbox.must(
            "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
    }

    @Test func `a value that one service makes is given to another, and is in no list of processes`()
        async throws
    {
        try await withSandbox { sandbox in
            let maker = """
                    volumes: ["../config/STACK/export.sh:/docker-entrypoint-scripts.d/export-mykey.sh:ro"]
                """
            let taker = """
                    volumes: ["../config/STACK/import.sh:/scripts/import-key.sh:ro"]
                """
            let files = [
                // The key is there only a while after the start.
                "export.sh": "[ -f /tmp/asked ] || { touch /tmp/asked; exit 1; }\necho the-made-key\n",
                "import.sh": "echo \"$1\" > /tmp/key\n",
            ]
            try sandbox.writeStack(
                compose(idle("maker", maker), idle("taker", taker)).replacing("STACK", with: sandbox.stack),
                config: files,
                stackFile: "config:\n  taker:\n    key: maker.mykey\n")
            try await create(sandbox)
            let started = try await sandbox.deployment("start") { running in
                while running.isAlive {
                    #expect(!commandLines().contains { $0.contains("podman") && $0.contains("the-made-key") })
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            #expect(started.succeeded, "\(started)")
            #expect(started.errors.contains("gave maker.mykey to taker as key"))
            #expect(!started.everything.contains("the-made-key"))
            #expect(try await sandbox.inside("taker", "cat", "/tmp/key") == "the-made-key")
            let again = try await sandbox.mustDeployment("start")
            #expect(!again.errors.contains("gave"))
        }
    }

    @Test func `a value that never comes is named, with what its script said`() async throws {
        try await withSandbox { sandbox in
            let maker =
                "    volumes: [\"../config/\(sandbox.stack)/export.sh:/docker-entrypoint-scripts.d/export-mykey.sh:ro\"]"
            try sandbox.writeStack(
                compose(idle("maker", maker), idle("taker")), config: ["export.sh": "echo no key yet >&2; exit 3\n"],
                stackFile: "config:\n  taker:\n    key: maker.mykey\n")
            try await create(sandbox)
            let failed = try await sandbox.so(
                ["deployment", "--dir", sandbox.deployment, "start"], environment: ["SO_HOOK_TIMEOUT": "2"])
            #expect(failed.status == 1, "\(failed)")
            #expect(
                failed.errors.contains("maker has not given mykey within 2 s: its last exit code was 3: no key yet"))
            try write(
                "config:\n  taker:\n    key: taker.other\npods: [\(sandbox.stack)]\n",
                to: sandbox.deployment + "/stack.yml")
            let missing = try await sandbox.deployment("start")
            #expect(missing.status == 1)
            #expect(
                missing.errors.contains("the service taker has no /docker-entrypoint-scripts.d/export-other.sh"),
                "\(missing)")
        }
    }

    @Test(.podmanOnly)
    func `hooks run with the deployment's facts, and a failing or hanging one is named with its words`()
        async throws
    {
        try await withSandbox { sandbox in
            try sandbox.writeStack(compose(idle("one", "    environment: {A: \"${A:-}\"}")))
            func hook(_ name: String, _ script: String) throws {
                try write("#!/bin/sh\n" + script, to: "\(sandbox.stackDirectory)/hooks/\(name)", mode: 0o755)
            }
            try hook("init", "echo to the user >&2; echo 'config: {A: from-hook}'\n")
            try hook("create", "echo \"$SO_STACK $SO_NAMESPACE $1\" > create-file\n")
            try hook("start", "echo \"started $SO_DEPLOYMENT_DIR\"\n")
            try hook("stop", "echo \"stopped $SO_DEPLOYMENT_ID\"\n")
            let initialized = try await sandbox.must(
                "deploy", "init", "--stack", sandbox.stackDirectory, "--deploy-to", "podman", "--output",
                sandbox.specFile)
            #expect(initialized.errors.contains("init hook: to the user"))
            #expect(try read(sandbox.specFile).contains("A: from-hook"))
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment, "--",
                "argument")
            #expect(try read(sandbox.deployment + "/create-file") == "\(sandbox.stack) \(sandbox.namespace) argument\n")
            let started = try await sandbox.mustDeployment("start")
            #expect(started.errors.contains("start hook: started \(sandbox.deployment)"))
            try hook("start", "echo the reason; exit 4\n")
            try await sandbox.update()
            let failed = try await sandbox.deployment("start")
            #expect(failed.status == 1 && failed.errors.contains("ended with exit code 4\n  | the reason"), "\(failed)")
            try hook("start", "echo busy; sleep 1000\n")
            try await sandbox.update()
            let hanging = try await sandbox.so(
                ["deployment", "--dir", sandbox.deployment, "start"], environment: ["SO_HOOK_TIMEOUT": "1"])
            #expect(
                hanging.status == 1
                    && hanging.errors.contains(
                        "has not ended within 1 s, and was ended\n  | busy\nhint: fix it, or")
                    && hanging.errors.contains("\n  | busy"), "\(hanging)")
            #expect(!commandLines().contains { $0.contains(sandbox.deployment) && $0.contains("hooks/start") })
            try hook("start", "true\n")
            try await sandbox.update()
            #expect(try await sandbox.mustDeployment("stop").errors.contains("stop hook: stopped"))
            try await sandbox.mustDeployment("start")
            try hook("stop", "exit 3\n")
            try await sandbox.update()
            let refused = try await sandbox.deployment("stop")
            #expect(
                refused.status == 1 && refused.errors.contains("nothing was stopped")
                    && refused.errors.contains("--no-hooks"),
                "\(refused)")
            #expect(try await sandbox.mustDeployment("stop", "--no-hooks").errors.contains("stopped"))
            try hook("stop", "true\n")
            try await sandbox.update()
        }
    }

    @Test func `pods of several repositories run together, with the commands of stack yml around them`() async throws {
        try await withSandbox { sandbox in
            var stack = "repos:\n"
            var pods = "pods:\n"
            for name in ["first", "second"] {
                let repository = try await GitRepository("\(sandbox.directory)/forge/org/\(name)")
                let file = compose(idle(name, "    volumes: [\"./page:/page:ro\"]")).replacing(
                    "IMAGE", with: sandbox.image)
                try await repository.commit([
                    "deploy/docker-compose.yml": file, "deploy/page/text": "of \(name)\n",
                    "deploy/pre.sh": "#!/bin/sh\necho \"pre \(name) $SO_POD in $(basename $(pwd))\"\n",
                    "deploy/post.sh": "#!/bin/sh\necho \"post \(name) $CERC_SO_COMPOSE_PROJECT\"\n",
                ])
                stack += "  - \(repository.directory)@main\n"
                pods +=
                    "  - {name: \(name), repository: \(name), path: deploy, pre_start_command: pre.sh, post_start_command: post.sh}\n"
            }
            try write(stack + pods, to: sandbox.stackDirectory + "/stack.yml")
            let early = try await sandbox.so([
                "deploy", "init", "--deploy-to", "podman", "--stack", sandbox.stackDirectory, "--output",
                sandbox.specFile,
            ])
            #expect(early.status == 65 && early.errors.contains("so setup-repositories --stack"), "\(early)")
            try await sandbox.must("setup-repositories", "--stack", sandbox.stackDirectory)
            try await create(sandbox, sandbox.stackDirectory)
            removeTree(sandbox.directory + "/home/.local/share/so/repos")
            let started = try await sandbox.mustDeployment("start")
            #expect(started.errors.contains("pre_start_command of first: pre first first in scripts"), "\(started)")
            #expect(started.errors.contains("post_start_command of second: post second so-"))
            #expect(try await sandbox.inside("first", "cat", "/page/text") == "of first")
            #expect(try await sandbox.inside("second", "cat", "/page/text") == "of second")
        }
    }

    /// Three stacks below one root: two of a pod each, and one of both.
    private func writeParts(_ sandbox: Sandbox, second: String = "second", volume: String = "second-data") throws {
        let root = sandbox.directory + "/repo"
        for (name, service, data) in [("first", "first", "first-data"), ("second", second, volume)] {
            let text =
                compose(idle(service, "    volumes: [\"\(data):/data\", \"../config/\(name):/config:ro\"]"))
                + "\nvolumes: {\(data): }\n"
            try write(text.replacing("IMAGE", with: sandbox.image), to: "\(root)/compose/docker-compose-\(name).yml")
            try write("of \(name)\n", to: "\(root)/config/\(name)/text")
            try write("pods: [\(name)]\n", to: "\(root)/stacks/\(name)/stack.yml")
            try write("#!/bin/sh\necho \"\(name) starts\"\n", to: "\(root)/stacks/\(name)/hooks/start", mode: 0o755)
        }
        try write("description: both\nstacks: [first, second]\n", to: sandbox.stackDirectory + "/stack.yml")
    }

    @Test func `several stacks make one deployment, that needs none of them afterwards`() async throws {
        try await withSandbox { sandbox in
            try writeParts(sandbox)
            try await create(sandbox)
            removeTree(sandbox.directory + "/repo")
            let started = try await sandbox.mustDeployment("start")
            #expect(
                started.errors.contains("start hook: first starts")
                    && started.errors.contains("start hook: second starts"))
            #expect(try await sandbox.inside("first", "cat", "/config/text") == "of first")
            #expect(try await sandbox.inside("second", "cat", "/config/text") == "of second")
            #expect(try await sandbox.mustDeployment("ps", "-o", "json").output.contains("\"service\": \"second\""))
        }
    }

    @Test func `names that two stacks share are refused, with both places`() async throws {
        try await withPodlessSandbox { sandbox in
            try writeParts(sandbox, second: "first")
            let services = try await sandbox.so(["render", "--stack", sandbox.stackDirectory])
            #expect(
                services.status == 65
                    && services.errors.contains("the service 'first' is defined in both pods 'first' and 'second'"),
                "\(services)")
            try writeParts(sandbox, volume: "first-data")
            let volumes = try await sandbox.so(["render", "--stack", sandbox.stackDirectory])
            #expect(volumes.status == 65, "\(volumes)")
            #expect(
                volumes.errors.contains("`volumes.first-data` of the stack 'second' has the name of one of 'first'"))
            try write("stacks: [\(sandbox.stack)]\n", to: sandbox.directory + "/repo/stacks/first/stack.yml")
            let circle = try await sandbox.so(["render", "--stack", sandbox.stackDirectory])
            #expect(circle.status == 65 && circle.errors.contains("contains itself"), "\(circle)")
            try write("stacks: [first, nobody]\n", to: sandbox.stackDirectory + "/stack.yml")
            try write("pods: [first]\n", to: sandbox.directory + "/repo/stacks/first/stack.yml")
            let missing = try await sandbox.so(["render", "--stack", sandbox.stackDirectory])
            #expect(missing.status == 65 && missing.errors.contains("no stack 'nobody'"), "\(missing)")
        }
    }
}
