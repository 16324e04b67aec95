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

    private func stack(_ body: (Sandbox) async throws -> Void) async throws {
        try await withPodlessSandbox { sandbox in
            let file = sandbox.directory + "/kubeconfig"
            try write(kubeconfig, to: file)
            try await sandbox.must(
                "deploy", "init", "--stack", Shared.packageRoot + "/stacks/orchestrator", "--deploy-to", "k8s",
                "--kube-config", file, "--image-registry", "registry.example.com/team", "--output", sandbox.specFile)
            try await body(sandbox)
        }
    }

    @Test func `it is rendered with PostgreSQL beside it, its secrets as files, and the cluster's token`() async throws
    {
        try await stack { sandbox in
            let text = try await sandbox.must("render", "--spec-file", sandbox.specFile).output
            let objects = text.split(separator: "\n---\n").map(String.init)
            let server = try #require(
                objects.first { $0.contains("kind: Deployment") && $0.contains("name: orchestrator\n") })
            for part in ["/run/secrets/forge-token", "/run/secrets/database-password", "readOnlyRootFilesystem: true"] {
                #expect(server.contains(part), "\(part) is missing")
            }
            #expect(!server.contains("automountServiceAccountToken: false"))
            #expect(objects.contains { $0.contains("kind: Deployment") && $0.contains("postgres:17") })
            // What is secret is in no object that is shown.
            #expect(!text.contains("$generate") && !text.contains("kind: Secret"))
        }
    }

    @Test func `its service account may keep one Secret of its own namespace, and nothing else`() throws {
        let text = try read(Shared.packageRoot + "/stacks/orchestrator/rbac.yml")
        let role = try #require(text.split(separator: "\n---\n").first.map(String.init))
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
