import Compose
import KubernetesObjects
import OrderedCollections
import Rendering
import Specs
import Testing
import YAML

/// What a compose file in memory renders to.
struct Rendered {
    var deployment: RenderedDeployment
    var diagnostics: [Diagnostic]

    var errors: [String] { diagnostics.filter { $0.severity == .error }.map(\.what) }
    var warnings: [String] { diagnostics.filter { $0.severity == .warning }.map(\.what) }

    /// What podman alone is told of the container that has its workload's name.
    func settings(_ name: String, _ location: SourceLocation = #_sourceLocation) throws -> PodmanSettings.Container {
        try #require(deployment.workloads.first { $0.name == name }, sourceLocation: location).podman[name]
    }

    /// The pod of a workload.
    func pod(_ name: String, _ location: SourceLocation = #_sourceLocation) throws -> PodTemplateSpec {
        let workload = try #require(deployment.workloads.first { $0.name == name }, sourceLocation: location)
        return try #require(deployment.podTemplate(of: workload), sourceLocation: location)
    }
}

/// Renders `/p/compose.yml`, with other files beside it and perhaps a spec.
func render(
    _ compose: String, target: RenderOptions.Target = .none, files: [String: String] = [:], spec text: String = "",
    _ change: (inout RenderOptions) -> Void = { _ in }
) throws -> Rendered {
    var diagnostics = Diagnostics()
    let tree = FileTree.memory(texts: files.merging(["/p/compose.yml": compose]) { $1 })
    let project = try #require(
        loadProject(files: ["/p/compose.yml"], tree: tree, diagnostics: &diagnostics), "\(diagnostics.list)")
    var spec = Spec(directory: "/p")
    if !text.isEmpty {
        spec = try #require(
            parseSpec(
                Array(text.utf8), file: "spec.yml", directory: "/p", completeness: .fragment, diagnostics: &diagnostics)
        )
    }
    let layered = LayeredProject(stackName: "s", spec: spec, project: project)
    var options = RenderOptions(target: target, namespace: "n", deploymentID: "d", stackName: "s")
    change(&options)
    let deployment = Rendering.render(layered, options: options, tree: tree, diagnostics: &diagnostics)
    return Rendered(deployment: deployment, diagnostics: diagnostics.list)
}
