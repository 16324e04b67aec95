package import Compose
package import OrderedCollections
package import YAML

/// The services of a project's compose file, as companions of a session's agent.
///
/// The project's files are trusted with nothing: a service keeps the keys of a list, sees of this host what the project's directory holds, and is in the
/// session's own network alone. What it asks for beyond is an error, or left out with a warning where it runs without.
package struct ProjectServices: Sendable {
    /// By name, in the words of compose.
    package private(set) var services: OrderedDictionary<String, Node> = [:]
    package private(set) var volumes: OrderedDictionary<String, Node> = [:]
    /// Files of the project that services have as they are now.
    package private(set) var configs: [String: [UInt8]] = [:]
    package private(set) var secrets: [String: [UInt8]] = [:]
    /// Folders of the project that services share with the agent's checkout, each with its volume.
    package private(set) var folders: [String: String] = [:]
    /// Every name of each service.
    package private(set) var names: OrderedDictionary<String, [String]> = [:]
    /// What has to be built first.
    package private(set) var builds: [BaseBuild] = []
    package private(set) var warnings: [Diagnostic] = []

    /// - Parameter isInPlace: whether they have the project's own folders and files, and not those of a checkout.
    /// - Throws: `InvalidInput` with every problem at once; nothing has been made then.
    package init(
        _ choice: ComposeChoice, of project: Project, tree: FileTree = .disk, isInPlace: Bool = false
    ) throws {
        guard !choice.files.isEmpty else { return }
        var diagnostics = Diagnostics()
        var options = LoadOptions()
        (options.profiles, options.services) = (choice.profiles, choice.services)
        options.projectName = project.name
        options.projectDirectory = project.path
        let files = choice.files.map { absolutePath($0, in: project.path) }
        for file in files where !isInside(file, project, tree) {
            diagnostics.error(
                "compose: \(file) is not in the project", at: nil, hint: "correct `compose:` in workspace.yml")
        }
        try diagnostics.throwIfErrors()
        let loaded = loadCanonicalProject(files: files, options: options, tree: tree, diagnostics: &diagnostics)
        guard let loaded else { throw InvalidInput(diagnostics.list) }
        let nodes = loaded.node().mapping?["services"]?.mapping
        if !isInPlace { folders = Self.folders(loaded.project, project, tree) }
        for (name, service) in loaded.project.services {
            var reading = ServiceReading(
                service, of: loaded.project, in: project, folders: folders, tree: tree, isInPlace: isInPlace)
            let node = reading.node(nodes?[name]?.mapping)
            services[name] = node
            names[name] = reading.names
            volumes.merge(reading.volumes) { $1 }
            configs.merge(reading.configs) { $1 }
            secrets.merge(reading.secrets) { $1 }
            if let build = reading.build { builds.append(build) }
            diagnostics.append(contentsOf: reading.diagnostics.list)
        }
        try diagnostics.throwIfErrors()
        warnings = diagnostics.list
    }

    /// The folders of the project that any service binds; those that are not there yet are folders too.
    private static func folders(_ loaded: Compose.Project, _ project: Project, _ tree: FileTree) -> [String: String] {
        var result: [String: String] = [:]
        for mount in loaded.services.values.flatMap(\.volumes) where mount.kind == .bind {
            guard let source = mount.source, tree.kind(source) != .file, isInside(source, project, tree) else {
                continue
            }
            let path = relative(source, to: project)
            result[path] = "folder-\(shortDigest(path))"
        }
        return result
    }
}
