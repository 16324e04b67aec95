import TestSupport
import Testing

@Suite(.pods) struct VolumeTests {
    private let compose = """
        services:
          app:
            image: IMAGE
            command: ["sleep", "100000"]
            stop_grace_period: 0s
            volumes:
              - bound:/bound
              - provisioned:/provisioned
        volumes:
          bound:
          provisioned:
        """

    @Test(.podmanOnly)
    func `a volume at a path and a provisioned one survive stop and start, and --delete-volumes removes their data`()
        async throws
    {
        try await withSandbox { sandbox in
            try await sandbox.create(compose, spec: "volumes:\n  bound: ./data/bound\n  provisioned:\n")
            try await sandbox.mustDeployment("start")
            try await sandbox.inside("app", "sh", "-c", "echo b >/bound/file; echo p >/provisioned/file")
            #expect(try read(sandbox.deployment + "/data/bound/file") == "b\n")
            try await sandbox.mustDeployment("stop")
            #expect(try await sandbox.containers("app") == [])
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.inside("app", "cat", "/bound/file", "/provisioned/file") == "b\np")

            try await sandbox.mustDeployment("stop", "--delete-volumes")
            #expect(try await Podman.named(sandbox.token) == [])
            try await sandbox.mustDeployment("start")
            let left = try await sandbox.deployment("exec", "app", "cat", "/provisioned/file")
            #expect(!left.succeeded, "\(left)")
        }
    }

    @Test func `create --update never writes into data/`() async throws {
        try await withSandbox { sandbox in
            // The predecessor copied config/<volume> over the live data of a volume of that name.
            try await sandbox.create(
                compose, spec: "volumes:\n  bound: ./data/bound\n", config: ["bound/file": "shipped\n"])
            try await sandbox.mustDeployment("start")
            try await sandbox.inside("app", "sh", "-c", "echo live >/bound/file")
            try await sandbox.update()
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.inside("app", "cat", "/bound/file") == "live")
        }
    }

    @Test func `a volume that two services mount is one volume`() async throws {
        try await withSandbox { sandbox in
            let mount = "    volumes: [\"shared:/shared\"]\n"
            try await sandbox.create(
                "services:\n" + idle("writer", mount) + idle("reader", mount) + "volumes:\n  shared:\n")
            try await sandbox.mustDeployment("start")
            try await sandbox.inside("writer", "sh", "-c", "echo shared >/shared/file")
            #expect(try await sandbox.inside("reader", "cat", "/shared/file") == "shared")
        }
    }

    @Test func `tmpfs, read_only, user, working_dir, hostname and capabilities hold inside the container`() async throws
    {
        try await withSandbox { sandbox in
            let more = """
                    read_only: true
                    tmpfs: ["/scratch"]
                    user: "1000:1000"
                    working_dir: /etc
                    hostname: named
                    cap_drop: [ALL]

                """
            try await sandbox.create("services:\n" + idle("app", more))
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.inside("app", "id", "-u") == "1000")
            #expect(try await sandbox.inside("app", "pwd") == "/etc")
            #expect(try await sandbox.inside("app", "hostname") == "named")
            #expect(
                try await sandbox.inside("app", "sh", "-c", "grep CapEff /proc/self/status | tr -d '\\t'")
                    == "CapEff:0000000000000000")
            #expect(try await sandbox.inside("app", "sh", "-c", "echo x >/scratch/file && cat /scratch/file") == "x")
            let refused = try await sandbox.deployment("exec", "app", "sh", "-c", "echo x >/etc/file")
            #expect(!refused.succeeded)
        }
    }

    @Test(.podmanOnly) func `what a container plants in its directory keeps nobody from looking, and leads nowhere`()
        async throws
    {
        try await withSandbox { sandbox in
            let port = try freePort()
            let mounts = """
                    volumes: ["../config/STACK/app:/app", "bound:/bound"]
                    env_file: ["../config/STACK/app/app.env"]
                    ports: ["127.0.0.1:\(port):80"]

                """
            try await sandbox.create(
                "services:\n" + idle("app", mounts) + "volumes:\n  bound:\n", spec: "volumes:\n  bound: ./data/bound\n",
                config: ["app/app.env": "A=1\n"])
            try await sandbox.mustDeployment("start")
            try await sandbox.inside(
                "app", "sh", "-c", "rm /app/app.env && ln -s /etc/passwd /app/app.env && mkfifo /app/pipe")
            let start = try await sandbox.deployment("start")
            #expect(start.status == 65 && start.errors.contains("app.env"), "\(start)")
            for verb in [["ps"], ["logs"], ["exec", "app", "true"], ["port"], ["secrets", "list"]] {
                let looked = try await sandbox.so(["deployment", "--dir", sandbox.deployment] + verb)
                #expect(looked.succeeded && looked.errors.contains("found by its labels"), "\(verb): \(looked)")
            }
            #expect(try await sandbox.deployment("port", "app", "80").output == "127.0.0.1:\(port)\n")
            let status = try await sandbox.deployment("status")
            #expect(status.status == 1 && status.output.contains("running"), "\(status)")
            let stop = try await sandbox.deployment("stop", "--delete-volumes")
            #expect(stop.succeeded, "\(stop)")
            #expect(try await Podman.named(sandbox.token) == [])
            #expect(!exists(sandbox.deployment + "/data/bound"))
        }
    }

    @Test(.podmanOnly) func `a path in a volume that became a link is not mounted`() async throws {
        try await withSandbox { sandbox in
            func compose(_ mount: String) -> String {
                "services:\n" + idle("app", "    volumes: [\(mount)]\n") + "volumes:\n  bound:\n"
            }
            let below = "{type: volume, source: bound, target: /b, volume: {subpath: inner}}"
            try await sandbox.create(compose("\"bound:/b\""), spec: "volumes:\n  bound: ./data/bound\n")
            try await sandbox.mustDeployment("start")
            try await sandbox.inside("app", "ln", "-s", "/etc", "/b/inner")
            try sandbox.writeStack(compose(below))
            try await sandbox.update()
            let refused = try await sandbox.deployment("start")
            #expect(refused.status == 1 && refused.errors.contains("points outside its volume, to /etc"), "\(refused)")
            #expect(try await sandbox.inside("app", "ls", "/b") == "inner")
        }
    }

    @Test func `a file of the deployment that somebody made huge is not read`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(
                "services:\n" + idle("app", "    volumes: [\"../config/STACK/app:/app\"]\n"), config: ["app/f": "x"])
            let file = sandbox.deployment + "/config/\(sandbox.stack)/app/f"
            _ = try await run("truncate", ["-s", "9G", file], environment: Podman.environment)
            // Enough addresses for the program, and not for the file.
            let limited = try await run(
                "bash",
                [
                    "-c", "ulimit -v 8000000; exec \"$@\"", "so", Sandbox.binary, "deploy", "create", "--update",
                    "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment,
                ],
                environment: sandbox.environment)
            #expect(limited.succeeded, "\(limited)")
            #expect(exists(file))
        }
    }
}
