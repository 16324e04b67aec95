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
}
