import FoundationEssentials
import TestSupport
import Testing

/// What only a cluster can show. Everything else that runs on podman runs there as well, where `SO_TEST_KUBECONFIG` names one: see `TestCluster`.
@Suite(.enabled(if: TestCluster.named != nil, "SO_TEST_KUBECONFIG names no cluster"), .serialized)
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
            try sandbox.writeSpec(spec("  VALUE: two\n", sandbox))
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

    @Test func `a command runs in a pod of its own with the service's settings, its input and its exit code`()
        async throws
    {
        try await RealCluster.with(web, spec: spec) { sandbox in
            try await sandbox.mustDeployment("start")
            let script = "echo \"$PASSWORD\" | wc -c; echo \"$MORE\"; cat; exit 3"
            let ended = try await sandbox.so(
                ["--dir", sandbox.deployment, "run", "--rm", "-T", "-e", "MORE=more", "db", "sh", "-c", script],
                input: "from here\n")
            #expect(ended.status == 3 && ended.output == "17\nmore\nfrom here\n", "\(ended)")
            let left = try await TestCluster.named?.kubectl("get", "pods", "-n", sandbox.namespace, "-o", "name").output
            #expect(left?.contains("-run-") == false, "\(left ?? "")")
            let absent = try await sandbox.so(
                ["--dir", sandbox.deployment, "run", "--rm", "-T", "db", "no-such-program"])
            #expect(absent.status == 1 && absent.errors.contains("no-such-program"), "\(absent)")
            #expect(try await sandbox.mustDeployment("status").succeeded)
            let detached = try await sandbox.so(["--dir", sandbox.deployment, "run", "-d", "app", "sleep", "1000"])
            #expect(detached.output.hasPrefix("pod/app-run-"), "\(detached)")
            try await sandbox.mustDeployment("stop")
            let gone = try await TestCluster.named?.kubectl("get", "pods", "-n", sandbox.namespace, "-o", "name").output
            #expect(gone == "", "\(gone ?? "")")
        }
    }

    @Test func `an image that is nowhere is named`() async throws {
        try await RealCluster.with("services:\n  broken:\n    image: localhost/absent:1\n") { sandbox in
            let failed = try await sandbox.deployment("start")
            #expect(failed.status == 1 && failed.errors.contains("localhost/absent:1"), "\(failed)")
        }
    }

    @Test func `files are copied, a port is forwarded, and a forced restart replaces the pods`() async throws {
        try await RealCluster.with(web, spec: spec) { sandbox in
            try await sandbox.mustDeployment("start")
            try write("from here\n", to: sandbox.directory + "/note")
            try await sandbox.mustDeployment("cp", sandbox.directory + "/note", "db:/data/www/note")
            try await sandbox.mustDeployment("cp", "db:/data/www/note", sandbox.directory + "/back")
            #expect(try read(sandbox.directory + "/back") == "from here\n")
            let port = try freePort()
            _ = try await sandbox.deployment("port-forward", "db", "\(port):8080") { running in
                try await eventually("the port answers") { try await isHeld(port) }
                #expect(try await get("http://127.0.0.1:\(port)/note") == "from here\n")
                running.interrupt()
            }
            let before = try await sandbox.containers("app")
            try await sandbox.mustDeployment("restart", "--force")
            let after = try await sandbox.containers("app")
            #expect(!before.isEmpty && before.isDisjoint(with: after))
            #expect(try await sandbox.mustDeployment("plan").output == "")
        }
    }

    @Test func `followed logs have each line once while pods are replaced`() async throws {
        let compose = """
            services:
              app:
                image: IMAGE
                command: ["sh", "-c", "i=0; while :; do i=$$((i + 1)); echo $$(hostname) $$i; sleep 1; done"]
                stop_grace_period: 0s
            """
        try await RealCluster.with(compose) { sandbox in
            try await sandbox.mustDeployment("start")
            let followed = try await sandbox.deployment("logs", "-f", "--no-log-prefix") { running in
                for _ in 0..<4 { try await sandbox.mustDeployment("restart", "--force") }
                running.interrupt()
            }
            let lines = followed.output.split(separator: "\n")
            let pods = Set(lines.compactMap { $0.split(separator: " ").first })
            #expect(pods.count > 1 && Set(lines).count == lines.count, "\(followed)")
        }
    }

    @Test func `secrets of a former deployment are taken over before the first start`() async throws {
        try await RealCluster.with(web, spec: spec) { sandbox in
            try await sandbox.mustDeployment("secrets", "import", "PASSWORD", input: "an old one\n")
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.inside("db", "cat", "/data/www/index.html") == "an old one")
            let refused = try await sandbox.deployment("secrets", "import", "PASSWORD", input: "another")
            #expect(refused.status == 77 && !refused.everything.contains("another"), "\(refused)")
        }
    }

    @Test func `a volume that nobody provisions is named as the cause`() async throws {
        try await RealCluster.with(web, spec: { more, _ in "config:\n  PASSWORD: x\n\(more)" }) { sandbox in
            let classes = try await TestCluster.named?.kubectl("get", "storageclass", "-o", "name").output
            guard classes == "" else { try Test.cancel("the cluster provisions volumes") }
            let failed = try await sandbox.deployment("start")
            #expect(failed.status == 1 && failed.errors.contains("no default StorageClass"), "\(failed)")
        }
    }

    @Test func `starts that are killed at any moment leave nothing that the next one does not know`() async throws {
        try await RealCluster.with(web, spec: spec) { sandbox in
            var generator = SeededGenerator.ofTest()
            for round in 0..<5 {
                let pause = Int.random(in: 50...1500, using: &generator)
                try sandbox.writeSpec(spec("  VALUE: v\(round)\n", sandbox))
                try await sandbox.update()
                _ = try await sandbox.deployment("start") { running in
                    try await Task.sleep(for: .milliseconds(pause))
                    running.killNow()
                }
            }
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.mustDeployment("exec", "app", "sh", "-c", "echo $VALUE").output == "v4\n")
            #expect(try await sandbox.mustDeployment("plan").output == "")
        }
    }
}

/// A deployment of its own on the cluster.
enum RealCluster {
    static func with(
        _ compose: String, spec: (String, Sandbox) -> String = { _, _ in "" },
        isolation: isolated (any Actor)? = #isolation, _ body: (Sandbox) async throws -> Void
    ) async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(compose, spec: spec("", sandbox))
            try await body(sandbox)
        }
    }
}
