import Compose
import Deployments
import KubernetesClient
import KubernetesTestSupport
import Rendering
import Runtimes
import Specs
import TestSupport
import YAML

/// One deployment on an API server of this process, rendered from compose text.
struct ClusterFixture: Sendable {
    let server: TestAPIServer
    let directory: String
    var id = "test-1"
    var namespace = "so-test"
    /// False: its deployments are made as other parts of so make theirs from memory.
    var hasVerbs = true

    var runtime: ClusterRuntime { ClusterRuntime(kubeconfig: server.kubeconfig, environment: [:]) }

    /// - Parameter config: the spec's `config:` and what else it has.
    func handle(_ compose: String, spec text: String = "") throws -> DeploymentHandle {
        var diagnostics = Diagnostics()
        let tree = FileTree.memory(["/p/compose.yml": Array(compose.utf8)])
        let spec = parseSpec(
            Array("stack: test\ndeploy-to: k8s\nkube-config: x\n\(text)".utf8), file: "/p/spec.yml", directory: "/p",
            diagnostics: &diagnostics)
        guard let spec,
            let project = layer(composeFiles: ["/p/compose.yml"], spec: spec, tree: tree, diagnostics: &diagnostics)
        else { throw InvalidInput(diagnostics.list) }
        var options = RenderOptions(target: .kubernetes, namespace: namespace, deploymentID: id, stackName: "test")
        options.deploymentDirectory = directory
        let rendered = render(project, options: options, tree: tree, diagnostics: &diagnostics)
        try diagnostics.throwIfErrors()
        let makers = project.generators.map { name, generator -> (String, DeploymentModel.SecretMaker) in
            (name, { try generator.generate() })
        }
        var model = DeploymentModel(
            id: id, namespace: namespace, stackName: "test", owner: directory, stateDirectory: directory + "/.state",
            secretsFile: directory + "/secrets", rendered: rendered,
            generators: Dictionary(uniqueKeysWithValues: makers))
        model.hasVerbs = hasVerbs
        return DeploymentHandle(model, runtime: runtime)
    }

    /// The names of a kind in the deployment's namespace.
    func names(_ resource: String) async -> [String] { await server.store.names(resource, namespace: namespace) }
}

/// A fixture on a fresh server.
func withCluster(
    isolation: isolated (any Actor)? = #isolation, _ body: (ClusterFixture) async throws -> Void
) async throws {
    try await withAPIServer { server in
        try await withTemporaryDirectory { directory in
            try await body(ClusterFixture(server: server, directory: directory))
        }
    }
}
