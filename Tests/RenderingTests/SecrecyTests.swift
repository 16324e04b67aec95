import Compose
import KubernetesObjects
import OrderedCollections
import Rendering
import Specs
import TestSupport
import Testing
import YAML

/// What may never be seen in an object.
@Suite struct SecrecyTests {
    private func rendered(_ compose: String, secrets: [String]) throws -> (RenderedDeployment, [Diagnostic]) {
        var diagnostics = Diagnostics()
        var options = LoadOptions()
        for name in secrets { options.scope[name] = Variable(value: .secret(name), layer: .spec, mark: .generated) }
        let tree = FileTree.memory(texts: ["/p/compose.yml": compose])
        let project = try #require(
            loadProject(files: ["/p/compose.yml"], options: options, tree: tree, diagnostics: &diagnostics),
            "\(diagnostics.list)")
        let layered = LayeredProject(stackName: "s", spec: Spec(directory: "/p"), project: project)
        let deployment = render(
            layered, options: RenderOptions(target: .podman, namespace: "n", deploymentID: "d", stackName: "s"),
            tree: tree,
            diagnostics: &diagnostics)
        return (deployment, diagnostics.list)
    }

    @Test func `a value that a secret flows into is in the service's own Secret and nowhere else`() throws {
        let (deployment, diagnostics) = try rendered(
            """
            services:
              db: {image: db, environment: {PASSWORD: "$S"}}
              api: {image: api, environment: {URL: "pg://u:${S}@db"}, command: ["--key=$S", "--other=$T"]}
              web: {image: web, environment: {PLAIN: x}}
            """, secrets: ["S", "T"])
        #expect(diagnostics.isEmpty, "\(diagnostics)")
        #expect(deployment.secrets.map(\.name) == ["db-env", "api-env"])
        let environments = Dictionary(
            uniqueKeysWithValues: deployment.workloads.map { workload in
                (workload.name, deployment.podTemplate(of: workload)?.spec.containers.first)
            })
        #expect(environments["db"]??.env == nil)
        #expect(environments["web"]??.envFrom == nil)
        #expect(environments["api"]??.envFrom == [EnvFromSource(secret: "api-env")])
        let text = emitYAML(try deployment.objects.map { try $0.node() })
        #expect(!text.contains("pg://"))
        #expect(!text.unicodeScalars.contains { $0.value >= 0x10FF00 }, "no placeholder is left in an object")
    }

    @Test func `arguments expand to what the file says`() throws {
        let (deployment, _) = try rendered(
            """
            services:
              api: {image: api, command: ["a$$$S$$(S)", "$S", "$$$$"]}
            """, secrets: ["S"])
        let template = try #require(deployment.podTemplate(of: deployment.workloads[0]))
        let secret = try deployment.secrets[0].values { "<\($0)>" }
        let values = Dictionary(
            uniqueKeysWithValues: secret.map { ($0.key, String(decoding: $0.bytes, as: UTF8.self)) })
        let arguments = (template.spec.containers[0].args ?? []).map { expandingReferences($0) { values[$0] } }
        #expect(arguments == ["a$<S>$(S)", "<S>", "$$"])
    }

    @Test func `a Secret is not made while one of its values is missing, and all that are missing are named`() throws {
        let (deployment, _) = try rendered(
            "services: {a: {image: a, environment: {X: \"$S\", Y: \"$T$U\"}}}", secrets: ["S", "T", "U"])
        let error = #expect(throws: MissingSecretValues.self) {
            try deployment.secrets[0].resolved { $0 == "T" ? "t" : nil }
        }
        #expect(error?.names == ["S", "U"])
    }

    @Test func `a resolved Secret holds its values in base64`() throws {
        let (deployment, _) = try rendered("services: {a: {image: a, environment: {X: \"v=$S\"}}}", secrets: ["S"])
        let secret = try deployment.secrets[0].resolved { _ in "1" }
        #expect(secret.data?["X"] == "dj0x")
        #expect(secret.type == "Opaque")
        #expect(secret.metadata.namespace == "n")
    }
}
