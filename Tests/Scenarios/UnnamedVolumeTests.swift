import FoundationEssentials
import TestSupport
import Testing

/// Volumes that nobody gave a name, and those that somebody else has made.
@Suite(.pods, .podmanOnly) struct UnnamedVolumeTests {
    private func folder(_ sandbox: Sandbox) -> String { "\(sandbox.directory)/p-\(sandbox.token)" }

    private func project(_ sandbox: Sandbox, _ arguments: String...) async throws -> Finished {
        try await run(Sandbox.binary, arguments, environment: sandbox.environment, directory: folder(sandbox))
    }

    private func up(_ sandbox: Sandbox, _ compose: String, _ options: String...) async throws -> Finished {
        try write(compose, to: folder(sandbox) + "/compose.yaml")
        return try await run(
            Sandbox.binary, ["up", "-d"] + options, environment: sandbox.environment, directory: folder(sandbox))
    }

    /// An image that declares `/var/lib/data`, which holds a file.
    private func withDeclaringImage(_ sandbox: Sandbox, _ body: (String) async throws -> Void) async throws {
        let tag = "localhost/so-declares-\(sandbox.token):1"
        let steps =
            "FROM \(sandbox.image)\nRUN mkdir -p /var/lib/data && echo shipped >/var/lib/data/first\nVOLUME /var/lib/data/\n"
        try write(steps, to: sandbox.directory + "/image/Containerfile")
        let built = try await Podman.run(["build", "-q", "-t", tag, sandbox.directory + "/image"])
        try #require(built.succeeded, "\(built)")
        try await body(tag)
        _ = try await Podman.run(["rmi", tag])
    }

    private func service(_ image: String, _ more: String = "") -> String {
        "services:\n  db:\n    image: \(image)\n    command: [\"sleep\", \"100000\"]\n    stop_grace_period: 0s\n"
            + more
    }

    @Test func `what a service keeps in a volume of its image outlives replacement, stop and down, until -V or -v`()
        async throws
    {
        try await withSandbox { sandbox in
            try await withDeclaringImage(sandbox) { image in
                let read = ["exec", "-T", "db", "cat", "/var/lib/data/first", "/var/lib/data/own"]
                func kept(_ when: String) async throws {
                    let seen = try await run(
                        Sandbox.binary, read, environment: sandbox.environment, directory: folder(sandbox))
                    #expect(seen.output == "shipped\nkept\n", "\(when): \(seen)")
                }
                let first = try await up(sandbox, service(image))
                try #require(first.succeeded, "\(first)")
                let written = try await project(sandbox, "exec", "-T", "db", "sh", "-c", "echo kept >/var/lib/data/own")
                #expect(written.succeeded, "\(written)")
                #expect(try await up(sandbox, service(image, "    environment: {A: b}\n")).succeeded)
                try await kept("replaced")
                #expect(try await project(sandbox, "restart", "db").succeeded)
                try await kept("restarted")
                for verb in [["stop"], ["down"]] {
                    let stopped = try await run(
                        Sandbox.binary, verb, environment: sandbox.environment, directory: folder(sandbox))
                    #expect(stopped.succeeded, "\(stopped)")
                    #expect(try await project(sandbox, "up", "-d").succeeded)
                    try await kept("\(verb)")
                }
                let renewed = try await project(sandbox, "up", "-d", "-V")
                #expect(renewed.succeeded, "\(renewed)")
                #expect(try await project(sandbox, "exec", "-T", "db", "ls", "/var/lib/data").output == "first\n")
                #expect(try await project(sandbox, "down", "-v").succeeded)
                #expect(try await Podman.named(sandbox.token) == [])
            }
        }
    }

    @Test func `a volume that covers what the image declares is the only one`() async throws {
        try await withSandbox { sandbox in
            try await withDeclaringImage(sandbox) { image in
                let mount = "    volumes: [\"own:/var/lib/data\"]\nvolumes: {own: {}}\n"
                let first = try await up(sandbox, service(image, mount))
                try #require(first.succeeded, "\(first)")
                let volumes = try await Podman.run(["volume", "ls", "-q"]).output.split(separator: "\n")
                #expect(volumes.filter { $0.contains(sandbox.token) }.count == 1, "\(volumes)")
                #expect(try await project(sandbox, "down", "-v").succeeded)
            }
        }
    }

    @Test func `up -V empties volumes without a name, and no other`() async throws {
        try await withSandbox { sandbox in
            let mounts = "    volumes: [/app/node_modules, \"named:/named\"]\nvolumes: {named: {}}\n"
            let first = try await up(sandbox, service(sandbox.image, mounts))
            try #require(first.succeeded, "\(first)")
            let script = "echo old >/app/node_modules/a; echo old >/named/a"
            #expect(try await project(sandbox, "exec", "-T", "db", "sh", "-c", script).succeeded)
            #expect(try await project(sandbox, "up", "-d", "--force-recreate").succeeded)
            let look = ["exec", "-T", "db", "sh", "-c", "ls /app/node_modules /named"]
            let kept = try await run(Sandbox.binary, look, environment: sandbox.environment, directory: folder(sandbox))
            #expect(kept.output == "/app/node_modules:\na\n\n/named:\na\n", "\(kept)")
            let renewed = try await project(sandbox, "up", "-d", "--renew-anon-volumes")
            #expect(renewed.succeeded, "\(renewed)")
            let seen = try await run(Sandbox.binary, look, environment: sandbox.environment, directory: folder(sandbox))
            #expect(seen.output == "/app/node_modules:\n\n/named:\na\n", "\(seen)")
            #expect(try await project(sandbox, "down", "-v").succeeded)
        }
    }

    @Test func `an external volume is the one of that very name, and is never removed`() async throws {
        try await withSandbox { sandbox in
            let name = "Ext_\(sandbox.token)"
            let mounts = "    volumes: [\"data:/data\"]\nvolumes: {data: {external: true, name: \(name)}}\n"
            let missing = try await up(sandbox, service(sandbox.image, mounts))
            #expect(missing.status == 1, "\(missing)")
            #expect(missing.errors.contains("podman has no volume \(name)"), "\(missing)")
            #expect(missing.errors.contains("hint: podman volume create \(name)"), "\(missing)")
            #expect(try await Podman.run(["volume", "create", name]).succeeded)
            let started = try await project(sandbox, "up", "-d")
            #expect(started.succeeded, "\(started)")
            #expect(try await project(sandbox, "exec", "-T", "db", "sh", "-c", "echo x >/data/x").succeeded)
            #expect(try await project(sandbox, "down", "-v").succeeded)
            #expect(try await project(sandbox, "up", "-d").succeeded)
            #expect(try await project(sandbox, "exec", "-T", "db", "cat", "/data/x").output == "x\n")
            #expect(try await project(sandbox, "down", "-v").succeeded)
            #expect(try await Podman.run(["volume", "rm", name]).succeeded)
        }
    }
}
