import Compose
import FoundationEssentials
import KubernetesObjects
import OrderedCollections
import Rendering
import Specs
import TestSupport
import Testing
import YAML

/// A directory of Goldens/: compose.yml, perhaps spec.yml, job-<name>.yml and case.yml, and what they render to.
///
/// case.yml says `target`, `strict`, `secrets` (variables whose values are secret), `components` ({name: {colocate, services}})
/// and `defect` (true: the case is about diagnostics, no objects are kept).
struct GoldenCase: CustomTestStringConvertible, Sendable {
    let name: String

    var testDescription: String { name }
    var relativeDirectory: String { "Tests/RenderingTests/Goldens/\(name)" }
    var directory: String { Shared.packageRoot + "/" + relativeDirectory }

    static let all: [GoldenCase] = {
        let root = Shared.packageRoot + "/Tests/RenderingTests/Goldens"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return names.sorted().map(GoldenCase.init)
    }()

    /// Those that render without an error.
    static let sound = all.filter { $0.setting("defect") != "true" }
    /// Those of them that a cluster takes.
    static let forClusters = sound.filter { $0.setting("target") != "podman" }

    private func setting(_ name: String) -> String? { (try? settings())?.mapping?[name]?.text }

    struct Outcome {
        var deployment: RenderedDeployment
        var diagnostics: [Diagnostic]
    }

    func settings() throws -> Node? {
        let path = directory + "/case.yml"
        guard exists(path) else { return nil }
        return try loadYAMLDocument(Array(try read(path).utf8), file: "case.yml")
    }

    func render() throws -> Outcome {
        var diagnostics = Diagnostics()
        let settings = try settings()?.mapping
        let tree = FileTree.disk
        var scope = VariableScope()
        for name in settings?["secrets"]?.sequence?.compactMap(\.text) ?? [] {
            scope[name] = Variable(value: .secret(name), layer: .spec, mark: .generated)
        }
        guard let project = load("compose.yml", scope, tree, &diagnostics) else {
            return Outcome(deployment: RenderedDeployment(), diagnostics: diagnostics.list)
        }
        var layered = LayeredProject(stackName: name, spec: try spec(&diagnostics), project: project)
        layered.components = components(settings?["components"]?.mapping, project)
        for file in try FileManager.default.contentsOfDirectory(atPath: directory).sorted() where file.hasPrefix("job-")
        {
            let job = String(file.dropFirst(4).dropLast(4))
            layered.jobs[job] = load(file, scope, tree, &diagnostics)
        }
        for name in settings?["secrets"]?.sequence?.compactMap(\.text) ?? [] {
            layered.generators[name] = SecretGenerator(.hex(16))
        }
        var options = RenderOptions(
            target: RenderOptions.Target(rawValue: settings?["target"]?.text ?? "none") ?? .none,
            namespace: "so-\(name)", deploymentID: "so-0123456789abcdef", stackName: name)
        options.isStrict = settings?["strict"]?.text == "true"
        options.listsDispositions = true
        options.deploymentDirectory = directory
        options.clusterIssuer = settings?["issuer"]?.text
        let deployment = Rendering.render(layered, options: options, tree: tree, diagnostics: &diagnostics)
        return Outcome(deployment: deployment, diagnostics: diagnostics.list)
    }

    private func load(
        _ file: String, _ scope: VariableScope, _ tree: FileTree, _ diagnostics: inout Diagnostics
    ) -> Project? {
        var options = LoadOptions()
        options.scope = scope
        options.projectName = name
        return loadProject(files: ["\(directory)/\(file)"], options: options, tree: tree, diagnostics: &diagnostics)
    }

    private func spec(_ diagnostics: inout Diagnostics) throws -> Spec {
        let path = directory + "/spec.yml"
        guard exists(path) else { return Spec(directory: directory) }
        return parseSpec(
            Array(try read(path).utf8), file: path, directory: directory, completeness: .fragment,
            diagnostics: &diagnostics) ?? Spec(directory: directory)
    }

    private func components(_ mapping: Mapping?, _ project: Project) -> [Component] {
        guard let mapping else { return [Component(name: name, serviceNames: Array(project.services.keys))] }
        return mapping.entries.map { entry in
            Component(
                name: entry.key, colocate: entry.value.mapping?["colocate"]?.text == "true",
                serviceNames: entry.value.mapping?["services"]?.sequence?.compactMap(\.text) ?? [])
        }
    }

    /// Where the package lies must not be in a golden.
    func portable(_ text: String) -> String {
        text.split(separator: directory, omittingEmptySubsequences: false).joined(separator: ".")
    }
}

extension String {
    fileprivate func split(separator: String, omittingEmptySubsequences: Bool) -> [Substring] {
        var result: [Substring] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            result.append(rest[..<range.lowerBound])
            rest = rest[range.upperBound...]
        }
        return result + [rest]
    }
}
