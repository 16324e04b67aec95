import TestSupport
import Testing
import YAML

private let helmProgram = Shared.packageRoot + "/.build/venv/bin/helm"

/// Charts as the real helm reads them; scripts/test fetches it.
@Suite(.enabled(if: exists(helmProgram), "helm is missing: scripts/test fetches it")) struct HelmTests {
    private let compose = """
        services:
          web:
            image: registry.example.com/web:1.2
            command: ["serve", "{{ not helm }}"]
            environment: {PASSWORD: "${PASSWORD}", PLAIN: 'a "quoted" {{ value }}', EMPTY: ""}
            ports: ["8080:80"]
            volumes: ["data:/data", "../config/STACK/page.html:/srv/page.html:ro"]
            healthcheck: {test: ["CMD", "true"], interval: 5s}
            deploy: {replicas: 2, resources: {limits: {cpus: "0.5", memory: 64M}}}
          worker:
            image: docker.io/library/worker@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
            restart: "no"
            depends_on: {web: {condition: service_healthy}}
        volumes: {data: }
        """
    private let spec = """
        config:
          PASSWORD: $generate:hex:16$
        network:
          http-proxy:
            - host-name: app.example.com
              routes: [{path: /, proxy-to: "web:80"}]

        """

    private func helm(_ arguments: String...) async throws -> Finished {
        try await run(helmProgram, arguments, environment: Podman.environment)
    }

    /// The order of keys means nothing.
    private func sorted(_ node: Node) -> Node {
        switch node.content {
        case .scalar: node
        case .sequence(let items): .list(items.map { sorted($0) })
        case .mapping(let mapping):
            .map(mapping.entries.sorted { $0.key < $1.key }.map { ($0.key, sorted($0.value)) })
        }
    }

    private func field(_ node: Node?, _ key: String) -> Node? {
        node?.mapping?.entries.first { $0.key == key }?.value
    }

    /// The objects by kind and name, without the namespace, which helm knows itself.
    private func objects(_ text: String) throws -> [String: Node] {
        var result: [String: Node] = [:]
        for document in try loadYAML(Array(text.utf8), file: "objects.yml") {
            guard let kind = field(document, "kind")?.text, kind != "Namespace", kind != "Secret" else { continue }
            let metadata = field(document, "metadata")?.mapping?.entries ?? []
            let annotations = metadata.first { $0.key == "annotations" }?.value.mapping?.entries ?? []
            let kept = annotations.filter { !$0.key.hasPrefix("helm.sh/") }.map { ($0.key, $0.value) }
            let rest = metadata.filter { !["namespace", "annotations"].contains($0.key) }.map { ($0.key, $0.value) }
            let named = Node.map(rest + (kept.isEmpty ? [] : [("annotations", .map(kept))]))
            let fields = (document.mapping?.entries ?? []).map { ($0.key, $0.key == "metadata" ? named : $0.value) }
            result["\(kind)/\(field(field(document, "metadata"), "name")?.text ?? "")"] = .map(fields)
        }
        return result
    }

    @Test func `a chart passes helm's lint, and with its default values it is what so renders`() async throws {
        try await withPodlessSandbox { sandbox in
            try sandbox.writeStack(compose, config: ["page.html": "<b>{{ page }}</b>\n"])
            try write(
                "stack: \(sandbox.stackDirectory)\ndeploy-to: k8s\nkube-config: kubeconfig\n" + spec,
                to: sandbox.specFile)
            try write("apiVersion: v1\nkind: Config\n", to: sandbox.directory + "/kubeconfig", mode: 0o600)
            // Modes are kept on the way into the deployment, and so in the chart.
            _ = try await run(
                "chmod", ["0444", "\(sandbox.directory)/repo/config/\(sandbox.stack)/page.html"],
                environment: Podman.environment)
            try await sandbox.must(
                "deploy", "create", "--helm-chart", "--spec-file", sandbox.specFile, "--deployment-dir",
                sandbox.deployment)
            let chart = sandbox.deployment + "/chart"
            let lint = try await helm("lint", "--strict", chart)
            #expect(lint.succeeded, "\(lint)")
            let template = try await helm("template", "release", chart)
            try #require(template.succeeded, "\(template)")
            let made = try objects(template.output)
            let rendered = try objects(try await sandbox.must("render", "--dir", sandbox.deployment).output)
            #expect(made.keys.sorted() == rendered.keys.sorted())
            for (name, object) in rendered {
                #expect(made[name].map { sorted($0).json() } == sorted(object).json(), "\(name)")
            }
        }
    }
}
