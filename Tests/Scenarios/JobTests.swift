import TestSupport
import Testing

/// Jobs of a stack act on data: once, unless somebody asks for more.
@Suite(.pods) struct JobTests {
    private let services = """
        services:
          app:
            image: IMAGE
            command: ["sleep", "100000"]
            stop_grace_period: 0s
            volumes: ["data:/data"]
        volumes:
          data:
        """

    private func job(_ more: String = "") -> [String: String] {
        [
            "seed": """
            services:
              seed:
                image: IMAGE
                command: ["sh", "-c", "echo ran >> /data/log; \(more)true"]
                volumes: ["data:/data"]
            volumes:
              data:
            """
        ]
    }

    private func runs(_ sandbox: Sandbox) async throws -> Int {
        try await sandbox.inside("app", "cat", "/data/log").split(separator: "\n").count
    }

    @Test func `a job that has ended well is not run again on its data, whatever happens to the deployment`()
        async throws
    {
        try await withSandbox { sandbox in
            try await sandbox.create(services, jobs: job())
            try await sandbox.mustDeployment("start")
            #expect(try await runs(sandbox) == 1)
            try await sandbox.mustDeployment("stop")
            let again = try await sandbox.mustDeployment("start")
            #expect(try await runs(sandbox) == 1, "\(again)")
            let status = try await sandbox.mustDeployment("status", "-o", "json")
            #expect(status.output.contains("\"completed (0)\""), "\(status)")
            #expect(try await sandbox.mustDeployment("start").errors.contains("nothing to change"))

            try sandbox.writeStack(services, jobs: job("echo new; "))
            try await sandbox.update()
            let updated = try await sandbox.mustDeployment("start")
            #expect(
                updated.errors.contains("the job seed has changed since it ran on this data")
                    && updated.errors.contains("hint: so deployment run-job seed"), "\(updated)")
            #expect(try await runs(sandbox) == 1)
            try await sandbox.mustDeployment("restart", "--force")
            #expect(try await runs(sandbox) == 1)

            #expect(try await sandbox.mustDeployment("run-job", "seed").output.contains("new"))
            #expect(try await runs(sandbox) == 2)
            let after = try await sandbox.mustDeployment("start")
            #expect(!after.errors.contains("has changed since"), "\(after)")
            try await sandbox.mustDeployment("stop", "--delete-volumes")
            try await sandbox.mustDeployment("start")
            #expect(try await runs(sandbox) == 1, "the data is new")
        }
    }

    @Test func `a job that failed is run by the next start`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(services, jobs: job("[ $(wc -l < /data/log) -gt 1 ] && "))
            let failed = try await sandbox.deployment("start")
            #expect(failed.status == 1, "\(failed)")
            try await sandbox.mustDeployment("stop")
            try await sandbox.mustDeployment("start")
            #expect(try await runs(sandbox) == 2)
            try await sandbox.mustDeployment("stop")
            try await sandbox.mustDeployment("start")
            #expect(try await runs(sandbox) == 2)
        }
    }

    @Test(.podmanOnly) func `the jobs of an imported deployment are run by nobody but who asks`() async throws {
        try await withSandbox { sandbox in
            let root = sandbox.deployment
            try write(
                "stack: \(sandbox.stack)\ndeploy-to: compose\nvolumes: {data: ./data/data}\n", to: root + "/spec.yml")
            try write(
                "name: \(sandbox.stack)\npods: [\(sandbox.stack)]\njobs: [seed]\n", to: root + "/stack.yml")
            try write(
                "cluster-id: laconic-\(sandbox.token)\ndeployment-id: laconic-def\nstack-source: /nowhere/\(sandbox.stack)\n",
                to: root + "/deployment.yml")
            try write("", to: root + "/config.env")
            try write(
                services.replacing("IMAGE", with: sandbox.image),
                to: root + "/compose/docker-compose-\(sandbox.stack).yml")
            try write(
                (job()["seed"] ?? "").replacing("IMAGE", with: sandbox.image),
                to: root + "/compose-jobs/docker-compose-seed.yml")
            try write("old\n", to: root + "/data/data/log")
            let imported = try await sandbox.must("deploy", "import-legacy", root)
            #expect(imported.errors.contains("so deployment run-job seed"), "\(imported)")
            try await sandbox.mustDeployment("start")
            #expect(try await runs(sandbox) == 1)
            try await sandbox.mustDeployment("run-job", "seed")
            #expect(try await runs(sandbox) == 2)
        }
    }
}
