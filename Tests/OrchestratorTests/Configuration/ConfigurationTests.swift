import Orchestrator
import TestSupport
import Testing
import Workspaces
import YAML

@Suite struct ConfigurationTests {
    static let example = """
        listen: 127.0.0.1:0
        url: https://so.example.com/
        forge: {kind: github, webhook-secret-file: secrets/webhook, token-file: secrets/token}
        agents: {default: {cli: claude-code, limits: {cpus: 2, memory: 4Gi}, budget-usd: 5}, codex: {cli: codex}}
        projects: [{repository: acme/shop, max-parallel: 2, routes: [{agent: codex, paths: [web]}]}]
        """

    private func load(_ text: String) async throws -> Configuration {
        try await withTemporaryDirectory { directory in
            try write(text, to: directory + "/orchestrator.yml")
            return try Configuration.load("orchestrator.yml", workingDirectory: directory)
        }
    }

    private func faults(_ text: String) async throws -> [String] {
        do {
            _ = try await load(text)
            return []
        } catch let error as InvalidInput {
            return error.diagnostics.map(\.description)
        } catch let error as OrchestratorError {
            return error.diagnostics.map(\.description)
        }
    }

    @Test func `six lines are enough; everything else has a default, and paths are the file's`() async throws {
        let configuration = try await load(Self.example)
        let directory = configuration.file.dropLast("/orchestrator.yml".count)
        #expect(configuration.url == "https://so.example.com")
        #expect(configuration.forge.api == "https://api.github.com")
        #expect(configuration.forge.tokenFile == "\(directory)/secrets/token")
        #expect(configuration.store == .sqlite(path: "\(directory)/orchestrator.db"))
        #expect(configuration.agent("default").budget == 5 && configuration.agent("codex").cli == "codex")
        #expect(configuration.agent("gone").cli == "claude-code")
        let rules = configuration.rules(RepositoryReference(id: 1, name: "ACME/shop"))
        #expect(rules?.routes.first?.agent == "codex" && rules?.agents == ["default", "codex"])
        #expect(configuration.rules(RepositoryReference(id: 2, name: "acme/other")) == nil)
    }

    @Test(arguments: [
        ("lables: x\n" + ConfigurationTests.example, "orchestrator.yml:1:1: error: the file: unknown key 'lables'"),
        (
            ConfigurationTests.example.replacing("https://so", with: "ftp://so"),
            "orchestrator.yml:2:6: error: url: 'ftp://so.example.com/' is not an http or https address"
        ),
        (
            ConfigurationTests.example.replacing("agent: codex,", with: "agent: codec,"),
            "orchestrator.yml:5:70: error: projects: no agent `codec`\nhint: did you mean `codex`?"
        ),
        (
            ConfigurationTests.example.replacing(", token-file: secrets/token", with: ""),
            "orchestrator.yml:3:8: error: forge has neither a token nor an app"
        ),
        (
            ConfigurationTests.example.replacing("secrets/token}", with: "x, app-id: 1}"),
            "orchestrator.yml:3:8: error: forge has a token-file and an app"
        ),
        (
            ConfigurationTests.example + "\nstore: postgresql://so:pass@db/so",
            "orchestrator.yml:6:8: error: store holds a password"
        ),
        (ConfigurationTests.example + "\nstore: mysql://db", "orchestrator.yml:6:8: error: store: invalid store"),
        (
            ConfigurationTests.example + "\ncredentials: {backend: vault}",
            "orchestrator.yml:6:14: error: credentials is missing 'address'"
        ),
        (ConfigurationTests.example.replacing("github,", with: "gitea,"), "error: forge is missing 'api'"),
        (ConfigurationTests.example + "\nidle-timeout: soon", "error: idle-timeout: 'soon' is not a time"),
    ]) func `every fault is told with its place and the next step`(text: String, expected: String) async throws {
        let faults = try await faults(text)
        #expect(faults.contains { $0.contains(expected) }, "\(faults)")
    }

    @Test func `a file of secrets that others can read is refused, with the command that corrects it`() async throws {
        try await withTemporaryDirectory { directory in
            try write(Self.example, to: directory + "/orchestrator.yml")
            try write("secret\n", to: directory + "/secrets/webhook")
            let configuration = try Configuration.load("orchestrator.yml", workingDirectory: directory)
            let error = #expect(throws: OrchestratorError.self) { try configuration.openForge() }
            #expect(error?.code == .notPermitted && error?.hint?.hasPrefix("chmod 600 ") == true)
        }
    }

    @Test(arguments: [
        ("runtime: k8s", "no image-registry"), ("runtime: k8s\nkube-config: gone.yml", "gone.yml cannot be read"),
        (
            "runtime: k8s\nimage-registry: registry.example.com/team\nkube-config: cluster.yml",
            "the cluster does not answer"
        ),
    ]) func `what keeps agents from a cluster is told with its fix`(lines: String, says: String) async throws {
        try await withTemporaryDirectory { directory in
            for program in ["kubectl", "podman"] {
                try write("#!/bin/sh\n", to: "\(directory)/bin/\(program)", mode: 0o755)
            }
            let cluster = """
                apiVersion: v1
                kind: Config
                current-context: c
                contexts: [{name: c, context: {cluster: c, user: u}}]
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:9"}}]
                users: [{name: u, user: {}}]
                """
            try write(cluster, to: "\(directory)/cluster.yml")
            try write(Self.example + "\n" + lines, to: directory + "/orchestrator.yml")
            let configuration = try Configuration.load("orchestrator.yml", workingDirectory: directory)
            let context = WorkspaceContext(
                environment: ["PATH": "\(directory)/bin", "HOME": "\(directory)"], dataDirectory: Shared.packageRoot)
            let error = await #expect(throws: OrchestratorError.self) { try await configuration.checkRuntime(context) }
            #expect(error?.description.contains(says) == true && error?.hint != nil, "\(error?.description ?? "")")
        }
    }
}
