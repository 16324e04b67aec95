import FoundationEssentials
import TestSupport
import Testing

@Suite(.pods, .debian) struct SessionSSHTests {
    @Test func `the real ssh client gets into a session through an exec, with the session's own keys`() async throws {
        try await withWorkspaces { scenario in
            try scenario.declare(
                headless: "exec sleep 1000", more: "environment: {AGENT_VALUE: \"two words\"}\n")
            try await scenario.define("tools: [ssh-server]\n")
            let id = try await scenario.must("session", "--detach", "--prompt", "wait")
            let config = scenario.sandbox.directory + "/ssh.conf"
            try write(try await scenario.must("session", "ssh-config", id) + "\n", to: config)
            func ssh(_ arguments: String...) async throws -> Finished {
                try await run(
                    "ssh", ["-F", config] + arguments, environment: scenario.sandbox.environment,
                    directory: scenario.sandbox.directory)
            }
            let seen = try await ssh(id, "id -u; echo $AGENT_VALUE; cat; exit 7")
            #expect(seen.status == 7 && seen.output == "1000\ntwo words\n", "\(seen)")
            let copied = scenario.sandbox.directory + "/in.txt"
            try write("through sftp\n", to: copied)
            let sent = try await run(
                "scp", ["-q", "-F", config, copied, "\(id):in.txt"], environment: scenario.sandbox.environment)
            #expect(sent.succeeded, "\(sent)")
            #expect(try await scenario.must("session", "exec", id, "cat", "/home/agent/in.txt") == "through sftp")

            let keys = scenario.sandbox.directory + "/home/.local/state/so/sessions/\(id)/ssh"
            let other = scenario.sandbox.directory + "/other"
            _ = try await run(
                "ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", other], environment: scenario.sandbox.environment)
            // ssh tries every IdentityFile that it is told of, so the session's own may be in no line.
            try write(try read(config).replacing("\(keys)/id", with: other), to: config + ".other")
            let stranger = try await run(
                "ssh", ["-F", config + ".other", id, "true"], environment: scenario.sandbox.environment)
            #expect(stranger.status == 255 && stranger.errors.contains("Permission denied"), "\(stranger)")
            try write("\(id) \(try read(other + ".pub"))", to: keys + "/known_hosts")
            let changed = try await ssh(id, "true")
            #expect(changed.status == 255 && changed.errors.contains("Host key verification failed"), "\(changed)")
            _ = try await scenario.must("session", "finish", id, "--on-exit", "discard")
            #expect(!exists(keys))
        }
    }

    @Test func `an image without a server says what it lacks`() async throws {
        try await withWorkspaces { scenario in
            try scenario.declare(headless: "exec sleep 1000")
            let bare = "localhost/so-test/no-sshd:1"
            try await withTemporaryDirectory { context in
                try write("FROM \(scenario.image)\nRUN rm -f /usr/sbin/sshd\n", to: context + "/Containerfile")
                let built = try await Podman.run(["build", "-q", "-t", bare, context])
                try #require(built.succeeded, "\(built)")
            }
            try await scenario.project.commit(["workspace.yml": "image: \(bare)\nagent: scripted\n"])
            let id = try await scenario.must("session", "--detach", "--prompt", "wait")
            let refused = try await scenario.so("session", "ssh-config", id)
            #expect(refused.status == 69 && refused.errors.contains("--tool ssh-server"), "\(refused)")
            _ = try await scenario.must("session", "finish", id)
        }
    }
}
