import TestSupport
import Testing

/// A service of which nothing is said is not run again on podman, as docker compose has it.
@Suite(.pods, .podmanOnly) struct EndedServiceTests {
    private func services(_ command: String, _ more: String = "") -> String {
        """
        services:
          app:
            image: IMAGE
            command: ["sleep", "100000"]
            stop_grace_period: 0s
          once:
            image: IMAGE
            command: ["sh", "-c", "\(command)"]
            stop_grace_period: 0s
            volumes: ["data:/data"]
        \(more)
        volumes:
          data:
        """
    }

    @Test func `one that ends well has ended, and is not run again by the next start`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(services("echo ran >> /data/log"))
            let started = try await sandbox.mustDeployment("start")
            #expect(
                started.errors.contains("everything is ready") && !started.errors.contains("restarted"), "\(started)")
            let status = try await sandbox.mustDeployment("status", "-o", "json")
            #expect(status.output.contains("completed (0)"), "\(status)")
            let again = try await sandbox.mustDeployment("start")
            #expect(again.errors.contains("nothing to change"), "\(again)")
            let names = try await Podman.lines("ps", "--all", "--format", "{{.Names}}")
            let name = try #require(names.first { $0.contains(sandbox.token) && $0.hasSuffix("_once") })
            let facts = try await Podman.lines(
                "inspect", "--format", "{{.RestartCount}} {{.HostConfig.RestartPolicy.Name}}", name)
            #expect(facts == ["0 no"])
        }
    }

    @Test func `one that fails ends the start at once, with its words said once`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(services("echo cannot begin; exit 3"))
            let started = try await sandbox.deployment("start")
            #expect(started.status == 1 && started.errors.contains("exit code 3"), "\(started)")
            #expect(started.errors.split(separator: "cannot begin").count == 2, "\(started)")
        }
    }

    @Test func `one that is to be restarted is`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(
                services("test -e /data/second || { touch /data/second; exit 1; }; sleep 100000", "    restart: always")
            )
            let started = try await sandbox.mustDeployment("start")
            #expect(started.errors.contains("restarted"), "\(started)")
        }
    }
}
