import OrderedCollections
import Testing
import YAML

@testable import Compose

/// What loading gave: a project and what was said of it.
struct Loaded {
    var project: Project?
    var diagnostics: [Diagnostic]

    var errors: [String] { diagnostics.filter { $0.severity == .error }.map(\.description) }
    var warnings: [String] { diagnostics.filter { $0.severity == .warning }.map(\.description) }

    /// The project, after checking that there were no errors.
    func sound(_ location: SourceLocation = #_sourceLocation) throws -> Project {
        #expect(errors.isEmpty, sourceLocation: location)
        return try #require(project, sourceLocation: location)
    }

    func service(_ name: String = "web", _ location: SourceLocation = #_sourceLocation) throws -> Service {
        try #require(try sound(location).services[name], sourceLocation: location)
    }
}

/// Loads `compose.yaml` (and `override.yaml`, if it is there) of `/p`; other files are named by absolute paths.
func load(
    _ compose: String, override: String? = nil, files: [String: String] = [:],
    variables: [String: String] = [:], secrets: Set<String> = [], _ change: (inout LoadOptions) -> Void = { _ in }
) -> Loaded {
    var texts = files
    texts["/p/compose.yaml"] = compose
    texts["/p/override.yaml"] = override
    var options = LoadOptions()
    for (name, value) in variables {
        options.scope[name] = Variable(value: TemplateText(value), layer: .spec, mark: Mark(file: "spec.yml"))
    }
    for name in secrets {
        options.scope[name] = Variable(value: .secret(name), layer: .spec, mark: Mark(file: "spec.yml"))
    }
    change(&options)
    var diagnostics = Diagnostics()
    let names = ["/p/compose.yaml"] + (override == nil ? [] : ["/p/override.yaml"])
    let project = loadProject(
        files: names, options: options, tree: .memory(texts: texts), diagnostics: &diagnostics)
    return Loaded(project: project, diagnostics: diagnostics.list)
}

/// Loads one service `web` with these lines under it, and an image.
func loadService(
    _ lines: String, files: [String: String] = [:], variables: [String: String] = [:], secrets: Set<String> = []
) -> Loaded {
    let indented = lines.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }
    let text = "services:\n  web:\n    image: web\n" + indented.joined(separator: "\n") + "\n"
    return load(text, files: files, variables: variables, secrets: secrets)
}

extension Service {
    /// The environment as plain texts.
    var plainEnvironment: [String: String] {
        Dictionary(uniqueKeysWithValues: environment.map { ($0.key, $0.value.text.masked) })
    }
}
