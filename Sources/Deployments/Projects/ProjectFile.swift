package import Compose
import OrderedCollections
import Runtimes
import Specs
import YAML

/// `project.yml` of a deployment that runs a compose project of its user's own: how the last `so up` found it. It holds the values of the
/// variables that the project reads, so that every later command sees the same; hence mode 0600.
struct ProjectFile {
    var found: FoundProject

    var bytes: [UInt8] {
        var pairs: [(String, Node)] = [("directory", .string(found.directory)), ("files", Self.list(found.files))]
        if let name = found.name { pairs.append(("name", .string(name))) }
        if !found.profiles.isEmpty { pairs.append(("profiles", Self.list(found.profiles))) }
        if let envFiles = found.envFiles { pairs.append(("env-files", Self.list(envFiles))) }
        if !found.scale.isEmpty {
            let counts = found.scale.sorted { $0.key < $1.key }
            pairs.append(("scale", .map(counts.map { ($0.key, .plain("\($0.value)")) })))
        }
        let variables = found.scope.variables.compactMapValues(\.value.literal).sorted { $0.key < $1.key }
        pairs.append(("environment", .map(variables.map { ($0.key, .string($0.value)) })))
        return Array((Self.header + Node.map(pairs).yaml()).utf8)
    }

    private static let header = "# Written by `so up`.\n"

    private static func list(_ texts: [String]) -> Node { .list(texts.map { .string($0) }) }

    init(found: FoundProject) { self.found = found }

    init(_ bytes: [UInt8], file: String) throws {
        let mapping = try loadYAMLDocument(bytes, file: file).mapping ?? Mapping()
        func texts(_ key: String) -> [String]? { mapping[key]?.sequence?.compactMap(\.text) }
        var scope = VariableScope()
        for entry in mapping["environment"]?.mapping?.entries ?? [] {
            let value = TemplateText(entry.value.text ?? "")
            scope[entry.key] = Variable(value: value, layer: .hostEnvironment, mark: entry.value.mark)
        }
        found = FoundProject(
            files: texts("files") ?? [], directory: mapping["directory"]?.text ?? "/", name: mapping["name"]?.text,
            profiles: texts("profiles") ?? [], envFiles: texts("env-files"), scope: scope)
        for entry in mapping["scale"]?.mapping?.entries ?? [] {
            found.scale[entry.key] = entry.value.text.flatMap { Int($0) }
        }
    }
}

extension DeploymentDirectory {
    private var projectFile: String { "\(root)/project.yml" }

    /// The compose project that the deployment runs; nil where it runs a stack.
    ///
    /// Compose files that were renamed are found again by their directory.
    package func project() throws -> FoundProject? {
        if let asked { return asked }
        guard let bytes = try Files.readIfPresent(projectFile) else { return nil }
        var found = try ProjectFile(bytes, file: projectFile).found
        guard !found.files.contains(where: { Files.exists($0) }) else { return found }
        let now = discoverComposeFiles(found.directory, tree: .disk)
        if !now.isEmpty { found.files = now }
        return found
    }

    /// Whether it runs a compose project, and no stack.
    package var runsProject: Bool { Files.exists(projectFile) }

    /// Writes down the compose project that the deployment runs from now on; the caller holds the lock.
    package func record(_ project: FoundProject) throws {
        try Files.write(ProjectFile(found: project).bytes, to: projectFile, mode: 0o600)
    }

    /// Opens the deployment of a compose project, or makes its directory.
    package static func keep(
        at place: KeptPlace, source: String, toolVersion: String
    ) throws -> DeploymentDirectory {
        if place.exists { return try open(place.directory) }
        let identity = try Identity.new(
            stackName: place.name, stackSource: source, target: .podman, toolVersion: toolVersion)
        try Files.makeDirectory(place.directory, mode: 0o700)
        try Files.write(Array(identity.yaml.utf8), to: "\(place.directory)/deployment.yml")
        return DeploymentDirectory(root: place.directory, identity: identity)
    }
}
