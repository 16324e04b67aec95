import FoundationEssentials
import TestSupport
import Testing

/// What runs on podman runs on a real Kubernetes API as well: `SO_TEST_KUBECONFIG` names one. Its nodes must have the image that
/// `SO_TEST_IMAGE` names (busybox with all its applets, default `localhost/bb:1`); nothing is pulled.
@Suite(.enabled(if: RealCluster.kubeconfig != nil, "SO_TEST_KUBECONFIG names no cluster"), .serialized)
struct ClusterTests {
    private let web = """
        services:
          db:
            image: IMAGE
            command: ["sh", "-c", "mkdir -p /data/www; echo $$PASSWORD > /data/www/index.html; exec httpd -f -p 8080 -h /data/www"]
            environment: {PASSWORD: "${PASSWORD}"}
            expose: ["8080"]
            stop_grace_period: 0s
            volumes: ["data:/data"]
            healthcheck: {test: ["CMD", "wget", "-q", "-O", "-", "http://127.0.0.1:8080/"], interval: 1s}
          app:
            image: IMAGE
            command: ["sleep", "100000"]
            stop_grace_period: 0s
            environment: {VALUE: "${VALUE:-none}"}
            depends_on: {db: {condition: service_healthy}}
        volumes: {data: }
        """

    private func spec(_ more: String, _ sandbox: Sandbox) -> String {
        "volumes:\n  data: /tmp/so-scenario-\(sandbox.token)\nconfig:\n  PASSWORD: $generate:hex:8$\n\(more)"
    }

    @Test
    func `a stack starts in the order of its dependencies, a second start changes nothing, a stop keeps its data`()
        async throws
    {
        try await RealCluster.with(web, spec: spec) { sandbox in
            let started = try await sandbox.mustDeployment("start")
            #expect(started.errors.contains("everything is ready"), "\(started)")
            let first = try await sandbox.mustDeployment("exec", "db", "cat", "/data/www/index.html").output
            #expect(first.count == 17, "\(first)")
            let again = try await sandbox.mustDeployment("start")
            #expect(again.errors.contains("nothing to change"), "\(again)")
            try await sandbox.mustDeployment("stop")
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.mustDeployment("exec", "db", "cat", "/data/www/index.html").output == first)
        }
    }

    @Test func `a changed value is planned field by field and rolls the one service that uses it`() async throws {
        try await RealCluster.with(web, spec: spec) { sandbox in
            try await sandbox.mustDeployment("start")
            try RealCluster.writeSpec(sandbox, spec("  VALUE: two\n", sandbox))
            try await sandbox.update()
            let plan = try await sandbox.mustDeployment("plan").output
            #expect(plan.contains("app") && plan.contains("two") && !plan.contains(" db "), "\(plan)")
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.mustDeployment("exec", "app", "sh", "-c", "echo $VALUE").output == "two\n")
        }
    }

    @Test(arguments: [
        (
            "command: [\"sh\", \"-c\", \"echo cannot find the thing; exit 3\"]",
            ["broken", "3", "cannot find the thing"]
        ),
        ("command: [\"no-such-program\"]", ["broken", "no-such-program"]),
        (
            "command: [\"sleep\", \"1000\"]\n    deploy: {resources: {reservations: {cpus: \"900\"}}}",
            ["broken", "scheduled", "cpu"]
        ),
        (
            "command: [\"sleep\", \"1000\"]\n    healthcheck: {test: [\"CMD-SHELL\", \"echo the lamp is dark; exit 1\"], interval: 1s, retries: 3}",
            ["broken", "health", "the lamp is dark"]
        ),
    ])
    func `what cannot become ready is told with its cause`(lines: String, parts: [String]) async throws {
        let compose = "services:\n  broken:\n    image: IMAGE\n    stop_grace_period: 0s\n    \(lines)\n"
        try await RealCluster.with(compose) { sandbox in
            let failed = try await sandbox.deployment("start")
            #expect(failed.status == 1, "\(failed)")
            for part in parts { #expect(failed.errors.contains(part), "\(part): \(failed)") }
        }
    }

    @Test func `an image that is nowhere is named`() async throws {
        try await RealCluster.with("services:\n  broken:\n    image: localhost/absent:1\n") { sandbox in
            let failed = try await sandbox.deployment("start")
            #expect(failed.status == 1 && failed.errors.contains("localhost/absent:1"), "\(failed)")
        }
    }

    @Test func `starts that are killed at any moment leave nothing that the next one does not know`() async throws {
        try await RealCluster.with(web, spec: spec) { sandbox in
            for round in 0..<5 {
                try RealCluster.writeSpec(sandbox, spec("  VALUE: v\(round)\n", sandbox))
                try await sandbox.update()
                _ = try await sandbox.deployment("start") { running in
                    try await Task.sleep(for: .milliseconds(Int.random(in: 50...1500)))
                    running.killNow()
                }
            }
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.mustDeployment("exec", "app", "sh", "-c", "echo $VALUE").output == "v4\n")
            #expect(try await sandbox.mustDeployment("plan").output == "")
        }
    }
}

/// The cluster that the environment names.
enum RealCluster {
    static let kubeconfig = ProcessInfo.processInfo.environment["SO_TEST_KUBECONFIG"]
    static let image = ProcessInfo.processInfo.environment["SO_TEST_IMAGE"] ?? "localhost/bb:1"

    static func writeSpec(_ sandbox: Sandbox, _ more: String) throws {
        try write(
            "stack: \(sandbox.stackDirectory)\ndeploy-to: k8s\nkube-config: \(kubeconfig ?? "")\n"
                + "image-pull-policy: IfNotPresent\n\(more)", to: sandbox.specFile)
    }

    /// A deployment of its own on the cluster, which is gone with its namespace and data afterwards.
    static func with(
        _ compose: String, spec: (String, Sandbox) -> String = { _, _ in "" },
        isolation: isolated (any Actor)? = #isolation, _ body: (Sandbox) async throws -> Void
    ) async throws {
        try await withPodlessSandbox { sandbox in
            try sandbox.writeStack(compose.replacing("IMAGE", with: image))
            try writeSpec(sandbox, spec("", sandbox))
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
            var failure: (any Error)?
            do { try await body(sandbox) } catch { failure = error }
            let stopped = try await sandbox.deployment("stop", "--delete-volumes", "--delete-namespace")
            #expect(stopped.succeeded, "\(stopped)")
            if let failure { throw failure }
        }
    }
}
