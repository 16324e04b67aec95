import FoundationEssentials
import TestSupport
import Testing
import YAML

/// The built-in stack `orchestrator`, as it is rendered for a cluster.
@Suite struct StackTests {
    private let kubeconfig = """
        apiVersion: v1
        kind: Config
        clusters: [{name: c, cluster: {server: "https://127.0.0.1:6443"}}]
        contexts: [{name: c, context: {cluster: c, user: u}}]
        current-context: c
        users: [{name: u, user: {token: x}}]
        """

    private func stack(_ target: String = "k8s", _ body: (Sandbox) async throws -> Void) async throws {
        try await withPodlessSandbox { sandbox in
            let file = sandbox.directory + "/kubeconfig"
            try write(kubeconfig, to: file)
            let cluster = ["--kube-config", file, "--image-registry", "registry.example.com/team"]
            let finished = try await sandbox.so(
                ["deploy", "init", "--stack", Shared.packageRoot + "/stacks/orchestrator", "--deploy-to", target]
                    + (target == "podman" ? [] : cluster) + ["--output", sandbox.specFile])
            try #require(finished.succeeded, "\(finished)")
            try await body(sandbox)
        }
    }

    private func deployment(_ name: String, in text: String) throws -> String {
        try #require(
            text.split(separator: "\n---\n").map(String.init).first {
                $0.contains("kind: Deployment") && $0.contains("\n  name: \(name)\n")
            })
    }

    @Test
    func
        `it is rendered with PostgreSQL beside it, its secrets as files, and the cluster's token for the server alone`()
        async throws
    {
        try await stack { sandbox in
            let text = try await sandbox.must("render", "--spec-file", sandbox.specFile).output
            let (server, database) = (try deployment("orchestrator", in: text), try deployment("database", in: text))
            for part in ["/run/secrets/forge-token", "/run/secrets/database-password", "readOnlyRootFilesystem: true"] {
                #expect(server.contains(part), "\(part) is missing")
            }
            #expect(server.contains("serviceAccountName: so-orchestrator\n"))
            #expect(!server.contains("automountServiceAccountToken: false"))
            #expect(database.contains("postgres:17") && database.contains("automountServiceAccountToken: false"))
            #expect(!database.contains("serviceAccountName"))
            // What is secret is in no object that is shown.
            #expect(!text.contains("$generate") && !text.contains("kind: Secret"))
        }
    }

    @Test func `more replicas are those of the server, and share no volume`() async throws {
        try await stack { sandbox in
            let spec = try read(sandbox.specFile)
            try write(spec.replacing("  orchestrator: 1\n", with: "  orchestrator: 3\n"), to: sandbox.specFile)
            let finished = try await sandbox.must("render", "--spec-file", sandbox.specFile)
            let (server, database) = (
                try deployment("orchestrator", in: finished.output), try deployment("database", in: finished.output)
            )
            #expect(server.contains("  replicas: 3\n") && !server.contains("persistentVolumeClaim"))
            #expect(database.contains("  replicas: 1\n") && database.contains("persistentVolumeClaim"))
            #expect(!finished.errors.contains("mount the volume"))
        }
    }

    @Test func `on podman its credentials are encrypted in a volume, without a cluster`() async throws {
        try await stack("podman") { sandbox in
            let directory = sandbox.directory + "/deployment"
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", directory)
            let configuration = try read(directory + "/config/orchestrator/orchestrator.yml")
            #expect(configuration.contains("credentials: {backend: file}\n"))
            let text = try await sandbox.must("render", "--spec-file", sandbox.specFile).output
            #expect(try deployment("orchestrator", in: text).contains("mountPath: /var/lib/so-orchestrator"))
        }
    }

    @Test(.enabled(if: TestCluster.named != nil, "SO_TEST_KUBECONFIG names no cluster"))
    func `a cluster takes the rights and all that is rendered as they stand`() async throws {
        let cluster = try #require(TestCluster.named)
        try await stack { sandbox in
            let rendered = try await sandbox.must("render", "--spec-file", sandbox.specFile).output
            try write(rendered, to: sandbox.directory + "/objects.yml")
            let name = "so-stack-\(sandbox.token)"
            _ = try await cluster.kubectl("create", "namespace", name)
            for (number, file) in [
                Shared.packageRoot + "/stacks/orchestrator/rbac.yml",
                Shared.packageRoot + "/stacks/orchestrator/rbac-sessions.yml", sandbox.directory + "/objects.yml",
            ].enumerated() {
                // What is tried only has a namespace nowhere else.
                let tried = sandbox.directory + "/tried-\(number).yml"
                try write(
                    try read(file).replacing("namespace: so-orchestrator", with: "namespace: \(name)")
                        .replacing("namespace: so-sessions", with: "namespace: \(name)"), to: tried)
                let taken = try await cluster.kubectl("apply", "--dry-run=server", "--filename", tried)
                #expect(taken.succeeded, "\(taken)")
            }
            await cluster.removeAll(named: name)
        }
    }

    @Test func `a host's account for sessions may make what a session has, and reads and writes nothing else`() throws {
        let text = try read(Shared.packageRoot + "/stacks/orchestrator/rbac-sessions.yml")
        let objects = text.split(separator: "\n---\n").map(String.init)
        let role = try #require(objects.first { $0.contains("kind: ClusterRole\n") })
        let rules = try loadYAMLDocument(Array(role.utf8), file: "rbac.yml").mapping?["rules"]?.sequence ?? []
        for rule in rules {
            func words(_ key: String) -> Set<String> { Set(rule.mapping?[key]?.sequence?.compactMap(\.text) ?? []) }
            let all = words("apiGroups").union(words("resources")).union(words("verbs"))
            #expect(!all.contains("*") && words("verbs").isDisjoint(with: ["escalate", "bind", "impersonate"]))
            #expect(
                words("resources").isDisjoint(with: [
                    "nodes", "persistentvolumes", "serviceaccounts", "roles", "rolebindings", "clusterroles",
                    "clusterrolebindings", "daemonsets",
                ]))
        }
        #expect(
            objects.contains {
                $0.contains("kind: ServiceAccount\n") && $0.contains("automountServiceAccountToken: false")
            })
    }

    @Test func `its service account may keep one Secret of its own namespace, and nothing else`() throws {
        let text = try read(Shared.packageRoot + "/stacks/orchestrator/rbac.yml")
        let objects = text.split(separator: "\n---\n").map(String.init)
        // In the order in which kubectl makes them.
        #expect(objects.map { $0.contains("kind: Namespace\n") } == [true, false, false, false])
        #expect(objects.last?.contains("name: default") == false && objects[1].contains("kind: ServiceAccount\n"))
        let role = objects[2]
        let rules = try loadYAMLDocument(Array(role.utf8), file: "rbac.yml").mapping?["rules"]?.sequence ?? []
        #expect(role.contains("kind: Role\n") && rules.count == 2)
        for rule in rules {
            func words(_ key: String) -> [String] { rule.mapping?[key]?.sequence?.compactMap(\.text) ?? [] }
            #expect(words("resources") == ["secrets"])
            #expect(words("verbs") == ["create"] || words("resourceNames") == ["so-credentials"])
            #expect(Set(words("verbs")).isSubset(of: ["create", "get", "patch"]))
        }
    }
}
