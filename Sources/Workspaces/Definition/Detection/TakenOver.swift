import Runtimes
package import YAML

/// The definition of another system, as far as a workspace has the same: `.clauded.yaml`, `.clave.json`, devcontainer.json.
package struct TakenOver: Sendable {
    /// With the keys of workspace.yml.
    package private(set) var node = Node.map([])
    /// What was not taken, each with its line.
    package private(set) var warnings: [Diagnostic] = []
    private var diagnostics = Diagnostics()
    private var root = Mapping()

    /// - Parameter file: as the user wrote it.
    /// - Throws: ``WorkspaceError`` where there is no such file, `InvalidInput` where it cannot be read.
    package init(file: String, project: Project) throws {
        let path = file.hasPrefix("/") ? file : Files.absolute(file)
        guard let bytes = try Files.readIfPresent(path) else {
            throw WorkspaceError(.missing, "no file \(file)", hint: "correct --from")
        }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if name.hasSuffix("devcontainer.json") {
            node = Devcontainer(bytes, file: path, project: project, diagnostics: &diagnostics)?.document.node ?? node
        } else {
            let document = try loadYAMLDocument(name.hasSuffix(".json") ? withoutComments(bytes) : bytes, file: file)
            for entry in document.mapping?.entries ?? [] where !entry.value.isNull {
                read(entry, isJSON: name.hasSuffix(".json"))
            }
            node = Node(.mapping(root))
        }
        try diagnostics.throwIfErrors()
        warnings = diagnostics.list
    }

    private mutating func leave(_ entry: Mapping.Entry, _ path: String, hint: String? = nil) {
        diagnostics.warning("`\(path)` is ignored", at: entry.keyMark, hint: hint)
    }

    private mutating func read(_ entry: Mapping.Entry, isJSON: Bool) {
        switch entry.key {
        case "version": break
        case "vm" where !isJSON: for inner in entry.value.mapping?.entries ?? [] { readMachine(inner) }
        case "environment" where !isJSON: for inner in entry.value.mapping?.entries ?? [] { readEnvironment(inner) }
        case "provision" where isJSON: readCommands(entry)
        case "on_exit" where isJSON: root["on-exit"] = entry.value
        case "services" where isJSON: readServices(entry)
        case "mount": leave(entry, "mount", hint: "the project is mounted at its own path")
        case "base_image":
            leave(entry, "base_image", hint: "the image of a machine is not a container's: see `template:`")
        default: leave(entry, entry.key)
        }
    }

    private mutating func readMachine(_ entry: Mapping.Entry) {
        switch entry.key {
        case "cpus", "memory", "disk":
            var section = root["resources"]?.mapping ?? Mapping()
            section[entry.key] = entry.value
            root["resources"] = Node(.mapping(section))
        case "keep_running": root["keep-running"] = entry.value
        case "name": break
        default: leave(entry, "vm.\(entry.key)")
        }
    }

    private mutating func readEnvironment(_ entry: Mapping.Entry) {
        if Language.named(entry.key) != nil {
            guard !entry.value.isNull else { return }
            var section = root["languages"]?.mapping ?? Mapping()
            section[entry.key] = entry.value
            root["languages"] = Node(.mapping(section))
            return
        }
        switch entry.key {
        case "tools": readList(entry, as: "tools") { Tool.named($0)?.name }
        case "databases": readList(entry, as: "databases") { Database.Kind(rawValue: $0)?.rawValue }
        case "frameworks": readList(entry, as: "frameworks") { Framework(rawValue: $0)?.rawValue }
        default: leave(entry, "environment.\(entry.key)")
        }
    }

    private mutating func readList(_ entry: Mapping.Entry, as key: String, _ known: (String) -> String?) {
        var items: [Node] = []
        for item in entry.value.sequence ?? [] {
            let text = item.text ?? ""
            if let name = known(text) {
                items.append(.string(name, mark: item.mark))
            } else if ["claude-code", "codex", "opencode"].contains(text) {
                root["agent"] = .string(text, mark: item.mark)
            } else {
                diagnostics.warning("`environment.\(entry.key)`: \(text) is ignored", at: item.mark)
            }
        }
        if !items.isEmpty { root[key] = Node(.sequence(items), mark: entry.value.mark) }
    }

    private mutating func readCommands(_ entry: Mapping.Entry) {
        let commands = entry.value.sequence ?? [entry.value]
        root["setup"] = Node(.sequence(commands.filter { $0.text != nil }), mark: entry.value.mark)
        diagnostics.warning(
            "`provision` became `setup`: it runs as the pod's user, not as root", at: entry.keyMark,
            hint: "what installs packages belongs under `tools:`")
    }

    private mutating func readServices(_ entry: Mapping.Entry) {
        var items: [Node] = []
        for inner in entry.value.mapping?.entries ?? [] {
            guard Database.Kind(rawValue: inner.key) != nil else {
                leave(inner, "services.\(inner.key)")
                continue
            }
            items.append(inner.value.text == "host" ? .map([(inner.key, .string("host"))]) : .string(inner.key))
        }
        if !items.isEmpty { root["databases"] = Node(.sequence(items), mark: entry.value.mark) }
    }
}
