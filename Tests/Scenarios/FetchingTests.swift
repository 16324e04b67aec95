import FoundationEssentials
import TestSupport
import Testing

/// `fetch-stack` and `setup-repositories` with real git; a forge is a directory that git's own configuration leads to.
@Suite struct FetchingTests {
    /// A repository of stacks and two that its stack needs, on a forge called forge.test.
    private func makeForge(_ sandbox: Sandbox) async throws {
        let forge = sandbox.directory + "/forge"
        try write(
            "[url \"\(forge)/\"]\n\tinsteadOf = https://forge.test/\n", to: sandbox.directory + "/home/.gitconfig")
        let stacks = try await GitRepository(forge + "/org/stacks")
        let root = "stack-orchestrator"
        let stack =
            "name: alpha\ndescription: Alpha\nrepos: [forge.test/org/lib@feature/x, forge.test/org/tool@v1]\npods: [alpha]\n"
        try await stacks.commit([
            "\(root)/stacks/alpha/stack.yml": stack,
            "\(root)/compose/docker-compose-alpha.yml": "services:\n  web:\n    image: \(sandbox.image)\n",
        ])
        let lib = try await GitRepository(forge + "/org/lib")
        try await lib.commit(["file": "main"])
        try await lib.git("checkout", "-q", "-b", "feature/x")
        try await lib.commit(["file": "feature"])
        let tool = try await GitRepository(forge + "/org/tool")
        try await tool.commit(["file": "v1"])
        try await tool.git("tag", "v1")
        try await tool.commit(["file": "later"])
    }

    private func repositories(_ sandbox: Sandbox) -> String { sandbox.directory + "/home/.local/share/so/repos" }

    @Test func `a stack is fetched, its repositories too, and every step names the next command`() async throws {
        try await withPodlessSandbox { sandbox in
            try await makeForge(sandbox)
            let base = sandbox.directory + "/repos"
            let settings = ["SO_REPO_BASE_DIR": base]
            let fetched = try await sandbox.so(["fetch-stack", "forge.test/org/stacks"], environment: settings)
            #expect(fetched.succeeded, "\(fetched)")
            #expect(fetched.output.contains("alpha") && fetched.output.contains("Alpha"))
            #expect(fetched.errors.contains("next: so setup-repositories --stack alpha"))
            let listed = try await sandbox.so(["list-stacks", "-o", "json"], environment: settings)
            #expect(listed.output.contains("\"source\": \"forge.test/org/stacks\""))
            let set = try await sandbox.so(["setup-repositories", "--stack", "alpha"], environment: settings)
            #expect(set.succeeded, "\(set)")
            #expect(set.errors.contains("next: so deploy init --stack alpha --output spec.yml"))
            #expect(try read(base + "/forge.test/org/lib/file") == "feature")
            #expect(try read(base + "/forge.test/org/tool/file") == "v1")
            let spec = sandbox.specFile
            let rest = [
                ["deploy", "init", "--deploy-to", "podman", "--stack", "alpha", "--output", spec],
                ["render", "--spec-file", spec],
                ["deploy", "create", "--spec-file", spec, "--deployment-dir", sandbox.directory + "/out"],
            ]
            for arguments in rest {
                let finished = try await sandbox.so(arguments, environment: settings)
                #expect(finished.succeeded, "\(finished)")
            }
        }
    }

    @Test func `a check touches nothing`() async throws {
        try await withPodlessSandbox { sandbox in
            try await makeForge(sandbox)
            let before = try files(below: sandbox.directory)
            for verb in [["fetch-stack", "forge.test/org/stacks"], ["fetch-stack", "./forge/org/stacks"]] {
                for flag in ["--check-only", "--dry-run"] {
                    let finished = try await sandbox.so(verb + [flag])
                    #expect(finished.succeeded, "\(finished)")
                    #expect(finished.output.contains("missing") || finished.output.contains("clone "))
                }
            }
            #expect(try files(below: sandbox.directory) == before)
        }
    }

    @Test func `a name that two repositories have lists its candidates`() async throws {
        try await withPodlessSandbox { sandbox in
            try await makeForge(sandbox)
            try await sandbox.must("fetch-stack", "forge.test/org/stacks")
            let second = try await sandbox.must("fetch-stack", "./forge/org/stacks", "-o", "json")
            #expect(second.output.contains("\"directory\": \"\(repositories(sandbox))/localhost"))
            let finished = try await sandbox.so(["setup-repositories", "--stack", "alpha"])
            #expect(finished.status == 64)
            #expect(finished.errors.contains("2 stacks are called 'alpha'"))
            #expect(
                finished.errors.contains(
                    "--stack \(repositories(sandbox))/forge.test/org/stacks/stack-orchestrator/stacks/alpha"))
        }
    }

    @Test(arguments: [
        "--upload-pack=touch pwned", "ext::sh -c touch% pwned", "org/../../../etc", "org/repo@--upload-pack=x",
        "-oProxyCommand=x",
        "ssh://-oProxyCommand=x/a/b", "git@-oProxyCommand=x:a/b", "https://me:secret@forge.test/a/b",
        "file://elsewhere/a",
    ])
    func `a hostile locator is refused, and runs nothing`(locator: String) async throws {
        try await withPodlessSandbox { sandbox in
            let finished = try await sandbox.so(["fetch-stack", "--", locator])
            #expect(finished.status == 65, "\(finished)")
            #expect(!finished.everything.contains("secret"))
            #expect(!exists(repositories(sandbox)))
            #expect(!exists(sandbox.directory + "/pwned"))
        }
    }

    @Test func `links that lead out of a fetched repository are refused`() async throws {
        try await withPodlessSandbox { sandbox in
            try await makeForge(sandbox)
            try write("pods: [alpha]\n", to: sandbox.directory + "/private/stack.yml")
            let stacks = sandbox.directory + "/forge/org/stacks"
            try FileManager.default.createSymbolicLink(
                atPath: stacks + "/stack-orchestrator/stacks/beta", withDestinationPath: sandbox.directory + "/private")
            _ = try await GitRepository.git(in: stacks, ["add", "-A"])
            _ = try await GitRepository.git(in: stacks, ["commit", "-q", "-m", "link"])
            try await sandbox.must("fetch-stack", "forge.test/org/stacks")
            let finished = try await sandbox.so([
                "deploy", "init", "--deploy-to", "podman", "--stack", "beta", "--output", "spec.yml",
            ])
            #expect(finished.status == 65, "\(finished)")
            #expect(finished.errors.contains("points outside"))
        }
    }

    /// The ssh of these tests runs the server's side on this host, after what `before` says.
    private func makeSSH(_ sandbox: Sandbox, before: String = "") throws -> [String: String] {
        let ssh = sandbox.directory + "/ssh.sh"
        let script =
            "#!/bin/sh\nfor last; do :; done\n\(before)\ncd \(sandbox.directory)/forge && eval \"exec $last\"\n"
        try write(script, to: ssh, mode: 0o755)
        return ["GIT_SSH_COMMAND": ssh]
    }

    @Test func `a clone that was killed half way is never taken for a whole one`() async throws {
        try await withPodlessSandbox { sandbox in
            try await makeForge(sandbox)
            let waiting = sandbox.directory + "/waiting"
            let slow = try makeSSH(sandbox, before: "touch \(waiting); sleep 600")
            let arguments = ["fetch-stack", "git@forge.test:org/stacks"]
            let killed = try await sandbox.so(arguments, environment: slow) { running in
                try await eventually("git is at work") { exists(waiting) }
                running.killNow()
            }
            #expect(killed.status == -9)
            #expect(!exists(repositories(sandbox) + "/forge.test/org/stacks"))
            #expect(try await sandbox.must("list-stacks").output.contains("alpha") == false)
            let finished = try await sandbox.so(arguments, environment: makeSSH(sandbox))
            #expect(finished.succeeded, "\(finished)")
            #expect(finished.output.contains("alpha"))
            #expect(!exists(repositories(sandbox) + "/.so-clones"))
            try await stopSleepers(sandbox)
        }
    }

    @Test func `an interrupted clone leaves nothing behind`() async throws {
        try await withPodlessSandbox { sandbox in
            try await makeForge(sandbox)
            let waiting = sandbox.directory + "/waiting"
            let slow = try makeSSH(sandbox, before: "touch \(waiting); sleep 600")
            let finished = try await sandbox.so(
                ["fetch-stack", "--git-ssh", "forge.test/org/stacks"], environment: slow
            ) { running in
                try await eventually("git is at work") { exists(waiting) }
                running.terminate()
            }
            #expect(finished.status == 130, "\(finished)")
            #expect(try files(below: repositories(sandbox)) == [])
            try await stopSleepers(sandbox)
        }
    }

    /// The killed command's git waits for its ssh, which sleeps: both are this sandbox's.
    private func stopSleepers(_ sandbox: Sandbox) async throws {
        let script =
            "for p in /proc/[0-9]*; do if grep -qs -e \"$1\" $p/cmdline $p/environ; then kill ${p#/proc/}; fi; done; true"
        _ = try await run("sh", ["-c", script, "stop", sandbox.directory + "/ssh.sh"], environment: Podman.environment)
    }

    @Test func `a server that asks for a password does not make the command wait`() async throws {
        try await withPodlessSandbox { sandbox in
            let port = try freePort()
            let server = """
                import http.server, os
                class H(http.server.BaseHTTPRequestHandler):
                    def do_GET(self):
                        self.send_response(401); self.send_header('WWW-Authenticate', 'Basic realm="x"')
                        self.send_header('Content-Length', '0'); self.end_headers()
                    def log_message(self, *a): pass
                s = http.server.HTTPServer(('127.0.0.1', \(port)), H)
                open('ready', 'w').close()
                s.serve_forever()
                """
            _ = try await run(
                "python3", ["-c", server], environment: Podman.environment, directory: sandbox.directory
            ) { running in
                try await eventually("git is at work") { exists(sandbox.directory + "/ready") }
                let finished = try await sandbox.so(["fetch-stack", "http://127.0.0.1:\(port)/org/private"])
                #expect(finished.status == 69, "\(finished)")
                #expect(finished.errors.contains("credential helper"))
                // The user's own helper answers what git asks.
                let helper = "!f() { touch \(sandbox.directory)/asked; echo username=u; echo password=p; }; f"
                try write("[credential]\n\thelper = \"\(helper)\"\n", to: sandbox.directory + "/home/.gitconfig")
                _ = try await sandbox.so(["fetch-stack", "http://127.0.0.1:\(port)/org/private"])
                #expect(exists(sandbox.directory + "/asked"))
                running.killNow()
            }
        }
    }

    @Test func `repositories are chosen and pinned on the command line`() async throws {
        try await withPodlessSandbox { sandbox in
            try await makeForge(sandbox)
            try await sandbox.must("fetch-stack", "forge.test/org/stacks")
            let chosen = try await sandbox.must(
                "setup-repositories", "--stack", "alpha", "--include", "lib", "--branches", "lib@main", "-o", "json")
            #expect(chosen.output.contains("\"reference\": \"main\"") && !chosen.output.contains("tool"))
            let unknown = try await sandbox.so(["setup-repositories", "--stack", "alpha", "--exclude", "none"])
            #expect(unknown.status == 66, "\(unknown)")
            let clone = repositories(sandbox) + "/forge.test/org/lib"
            try write("mine", to: clone + "/file")
            let refused = try await sandbox.so(["setup-repositories", "--stack", "alpha", "--pull"])
            #expect(refused.status == 1, "\(refused)")
            #expect(refused.errors.contains("has local changes"))
            #expect(try read(clone + "/file") == "mine")
            // The others are done all the same.
            #expect(try read(repositories(sandbox) + "/forge.test/org/tool/file") == "v1")
        }
    }
}
