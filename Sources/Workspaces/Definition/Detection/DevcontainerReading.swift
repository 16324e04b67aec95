import Compose
import YAML

/// Turns the keys of a devcontainer.json into those of workspace.yml.
struct DevcontainerReading {
    let node: Node
    /// The file's directory, which its paths start from.
    let directory: String
    let project: String
    var diagnostics: Diagnostics
    private var result = Mapping()

    init(node: Node, directory: String, project: String, diagnostics: Diagnostics) {
        self.node = node
        self.directory = directory
        self.project = project
        self.diagnostics = diagnostics
    }

    mutating func definition(tree: FileTree) -> Node {
        guard let mapping = node.mapping else {
            diagnostics.error("a devcontainer.json must be an object", at: node.mark)
            return .map([])
        }
        for entry in mapping.entries where !entry.value.isNull { read(entry) }
        readService(tree: tree)
        return Node(.mapping(result), mark: node.mark)
    }

    private mutating func read(_ entry: Mapping.Entry) {
        switch entry.key {
        case "image": result["image"] = entry.value
        case "build": readBuild(entry.value)
        case "dockerFile": put("build", [("dockerfile", entry.value), ("context", .string(relative(".")))], entry)
        case "dockerComposeFile": readCompose(entry)
        case "forwardPorts", "appPort": readPorts(entry)
        case "containerEnv", "remoteEnv": readEnvironment(entry)
        case "remoteUser", "containerUser": break
        case "onCreateCommand", "updateContentCommand", "postCreateCommand": readCommand(entry)
        case "hostRequirements": readRequirements(entry.value)
        case "service", "name", "$schema", "runServices", "context", "workspaceFolder", "shutdownAction",
            "overrideCommand",
            "customizations":
            break
        case "initializeCommand":
            refuse(entry, "runs on the host", hint: "remove it, or make it a `postCreateCommand`: the pod runs that")
        case "privileged" where entry.value.text == "true":
            refuse(entry, "would give the pod the host", hint: "remove it; `tools: [podman]` gives containers inside")
        case "mounts", "workspaceMount":
            refuse(
                entry, "mounts what lies outside of the project", hint: "remove it; `copy:` takes ignored files along")
        default:
            diagnostics.warning("`\(entry.key)` is not taken over", at: entry.keyMark, hint: Self.hint(entry.key))
        }
    }

    private static func hint(_ key: String) -> String? {
        switch key {
        case "features": "say it as `languages:`, `tools:` or `frameworks:` of workspace.yml"
        case "postStartCommand", "postAttachCommand": "`setup:` runs once in each checkout"
        case "runArgs", "capAdd", "securityOpt": "a workspace's pod has no more rights than it needs"
        default: nil
        }
    }

    private mutating func refuse(_ entry: Mapping.Entry, _ why: String, hint: String) {
        diagnostics.error("`\(entry.key)` is refused: it \(why)", at: entry.keyMark, hint: hint)
    }

    private mutating func put(_ key: String, _ pairs: [(String, Node)], _ entry: Mapping.Entry) {
        var inner = result[key]?.mapping ?? Mapping()
        for (name, value) in pairs { inner[name] = value }
        result[key] = Node(.mapping(inner), mark: entry.value.mark)
    }

    private mutating func readBuild(_ build: Node) {
        guard let mapping = build.mapping else { return }
        var inner = Mapping()
        let context = mapping["context"]?.text ?? "."
        inner["context"] = .string(relative(context), mark: mapping["context"]?.mark ?? build.mark)
        if let file = mapping["dockerfile"] {
            // Relative to this file, where compose has it relative to the context.
            inner["dockerfile"] = .string(relative(file.text ?? "", to: relative(context)), mark: file.mark)
        }
        inner["target"] = mapping["target"]
        inner["args"] = mapping["args"]
        result["build"] = Node(.mapping(inner), mark: build.mark)
    }

    private mutating func readCompose(_ entry: Mapping.Entry) {
        let files = entry.value.sequence ?? [entry.value]
        result["compose"] = Node(
            .sequence(files.map { .string(relative($0.text ?? ""), mark: $0.mark) }), mark: entry.value.mark)
    }

    /// What the file itself says counts over its compose files.
    mutating func take(_ key: String, _ value: Node) {
        if result["image"] == nil, result["build"] == nil { result[key] = value }
    }

    mutating func takeVariable(_ name: String, _ value: Node) {
        var inner = result["environment"]?.mapping ?? Mapping()
        guard inner[name] == nil else { return }
        inner[name] = value
        result["environment"] = Node(.mapping(inner))
    }

    /// The services beside the workspace.
    mutating func takeCompanions(_ names: [String]) {
        guard !names.isEmpty else { return result["compose"] = nil }
        result["services"] = .list(names.map { .string($0, mark: result["compose"]?.mark ?? node.mark) })
    }

    private mutating func readPorts(_ entry: Mapping.Entry) {
        let items = entry.value.sequence ?? [entry.value]
        let ports = items.filter { item in
            if Int(item.text ?? "") != nil { return true }
            diagnostics.warning(
                "`\(entry.key)`: \(item.text ?? "") is not taken over", at: item.mark,
                hint: "a companion is reached from the pod by its name")
            return false
        }
        result["ports"] = Node(.sequence((result["ports"]?.sequence ?? []) + ports), mark: entry.value.mark)
    }

    private mutating func readEnvironment(_ entry: Mapping.Entry) {
        for variable in entry.value.mapping?.entries ?? [] {
            guard let text = variable.value.text, text.contains("${") else {
                put("environment", [(variable.key, variable.value)], entry)
                continue
            }
            diagnostics.warning(
                "`\(entry.key).\(variable.key)` is not taken over: it takes from the host or the container",
                at: variable.keyMark, hint: "name a host's variable under `pass:`")
        }
    }

    /// A command is a text for a shell, a list of arguments, or several of them by name.
    private mutating func readCommand(_ entry: Mapping.Entry) {
        let commands = entry.value.mapping.map { $0.entries.map(\.value) } ?? [entry.value]
        let texts = commands.map { command -> Node in
            let words = command.sequence?.compactMap(\.text).map(shellWord).joined(separator: " ")
            return .string(words ?? command.text ?? "", mark: command.mark)
        }
        result["setup"] = Node(.sequence((result["setup"]?.sequence ?? []) + texts), mark: entry.value.mark)
    }

    private mutating func readRequirements(_ node: Node) {
        var inner = Mapping()
        inner["cpus"] = node.mapping?["cpus"]
        inner["memory"] = node.mapping?["memory"]
        inner["disk"] = node.mapping?["storage"]
        if !inner.entries.isEmpty { result["resources"] = Node(.mapping(inner), mark: node.mark) }
    }

    /// A path of the file, relative to the project.
    func relative(_ path: String) -> String {
        let full = absolutePath(path, in: directory)
        if full == project { return "." }
        return full.hasPrefix(project + "/") ? String(full.dropFirst(project.count + 1)) : path
    }

    func relative(_ file: String, to context: String) -> String {
        let path = relative(file)
        if context == "." { return path }
        return path.hasPrefix(context + "/") ? String(path.dropFirst(context.count + 1)) : path
    }
}

private func shellWord(_ word: String) -> String {
    word.allSatisfy { $0.isLetter || $0.isNumber || "_-./:=@%+,".contains($0) } && !word.isEmpty
        ? word : "'\(word.replacing("'", with: "'\\''"))'"
}
