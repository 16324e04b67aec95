import Compose
import OrderedCollections
import YAML

@testable import Specs
@testable import Stacks

/// A tree of texts in memory, with executables.
func tree(_ texts: [String: String], executables: [String] = []) -> FileTree {
    let modes = Dictionary(uniqueKeysWithValues: executables.map { ($0, UInt16(0o755)) })
    return .memory(texts.mapValues { Array($0.utf8) }, modes: modes)
}

func resolver(_ tree: FileTree, builtIn: String? = "/so", base: String = "/repos") -> StackResolver {
    StackResolver(
        locations: StackLocations(workingDirectory: "/work", builtInRoot: builtIn, repositoryBase: base), tree: tree)
}

/// A spec from text, with the diagnostics it gave.
func spec(_ text: String, completeness: SpecCompleteness = .whole) -> (spec: Spec?, messages: [String]) {
    var diagnostics = Diagnostics()
    let spec = parseSpec(
        Array(text.utf8), file: "/d/spec.yml", directory: "/d", completeness: completeness, diagnostics: &diagnostics)
    return (spec, diagnostics.list.map(\.description))
}

/// What layering a stack gave.
struct Layered {
    var result: LayeredProject?
    var messages: [String]

    /// `service` → `NAME` → masked value.
    func value(_ service: String, _ name: String) -> String? { entry(service, name)?.value.masked }

    func entry(_ service: String, _ name: String) -> EnvironmentEntry? {
        result?.environment[service]?.first { $0.name == name }
    }
}

/// Layers a spec over a stack `app` of pods, each a compose file below /so/compose.
func layered(
    pods: [String: String], jobs: [String: String] = [:], spec text: String = "", files: [String: String] = [:],
    environment: [String: String] = [:], requiresInputs: Bool = true
) throws -> Layered {
    var texts = files
    for (name, compose) in pods { texts["/so/compose/docker-compose-\(name).yml"] = compose }
    for (name, compose) in jobs { texts["/so/compose-jobs/docker-compose-\(name).yml"] = compose }
    let podList = pods.keys.sorted().map { "  - \($0)\n" }.joined()
    let jobList = jobs.keys.sorted().map { "  - \($0)\n" }.joined()
    texts["/so/stacks/app/stack.yml"] = "name: app\npods:\n\(podList)jobs:\n\(jobList)"
    let tree = tree(texts)
    let stack = try resolver(tree).resolve("app")
    var diagnostics = Diagnostics()
    let spec = parseSpec(
        Array(("stack: app\ndeploy-to: podman\n" + text).utf8), file: "/d/spec.yml", directory: "/d",
        diagnostics: &diagnostics)
    var options = LayerOptions(hostEnvironment: environment)
    options.requiresInputs = requiresInputs
    let result = spec.flatMap { layer(stack, spec: $0, options: options, tree: tree, diagnostics: &diagnostics) }
    return Layered(result: result, messages: diagnostics.list.map(\.description))
}
