import Compose
import ExternalTools
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
        case "image":
            if isConstant(entry.value, entry.key) { result["image"] = entry.value }
        case "build": readBuild(entry.value)
        case "dockerFile": put("build", [("dockerfile", entry.value), ("context", .string(relative(".")))], entry)
        case "dockerComposeFile": readCompose(entry)
        case "forwardPorts", "appPort": readPorts(entry)
        case "containerEnv", "remoteEnv": readEnvironment(entry)
        case "remoteUser", "containerUser": readUser(entry)
        case "onCreateCommand", "updateContentCommand", "postCreateCommand": readCommand(entry)
        case "hostRequirements": readRequirements(entry.value)
        case "shutdownAction":
            if entry.value.text == "none" { result["keep-running"] = .plain("true") }
        // Read with the keys that they belong to, or, the last ones, about this file and for other programs.
        case "service", "runServices", "context", "name", "$schema", "customizations": break
        case "privileged" where entry.value.text == "false": break
        case "initializeCommand":
            refuse(entry, "runs on the host", hint: "remove it, or make it a `postCreateCommand`: the pod runs that")
        case "privileged" where entry.value.text == "true":
            refuse(entry, "would give the pod the host", hint: "remove it; `tools: [podman]` gives containers inside")
        case "mounts", "workspaceMount":
            refuse(
                entry, "mounts something outside the project", hint: "remove it; `copy:` takes ignored files along")
        default:
            diagnostics.warning("`\(entry.key)` is ignored", at: entry.keyMark, hint: Self.hint(entry.key))
        }
    }

    private static func hint(_ key: String) -> String? {
        switch key {
        case "features": "say it as `languages:`, `tools:` or `frameworks:` of workspace.yml"
        case "postStartCommand", "postAttachCommand": "`setup:` runs once in each checkout"
        case "runArgs", "capAdd", "securityOpt": "a workspace's pod has no more rights than it needs"
        case "workspaceFolder": "a session's checkout is below \(PodPaths.work), a workspace has the project's own path"
        case "overrideCommand", "init": "the pod's first program is so's, and ends those that lost their parent"
        case "secrets": "name them under `pass:`"
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
        let arguments = (mapping["args"]?.mapping?.entries ?? []).filter {
            isConstant($0.value, "build.args.\($0.key)", severity: .warning)
        }
        if !arguments.isEmpty { inner["args"] = .map(arguments.map { ($0.key, $0.value) }) }
        for entry in mapping.entries where !["context", "dockerfile", "target", "args"].contains(entry.key) {
            diagnostics.warning("`build.\(entry.key)` is ignored", at: entry.keyMark)
        }
        result["build"] = Node(.mapping(inner), mark: build.mark)
    }

    /// The pod runs with numbers, and what a name means is in the image.
    private mutating func readUser(_ entry: Mapping.Entry) {
        if let text = entry.value.text, PodUser(text) != nil {
            result["user"] = entry.value
        } else {
            diagnostics.warning(
                "`\(entry.key)` is ignored", at: entry.keyMark,
                hint:
                    "the pod runs with the numbers of the project's owner; `user: 1000:1000` of workspace.yml says others"
            )
        }
    }

    /// Whether a text takes nothing from the host or the container.
    private mutating func isConstant(
        _ value: Node, _ key: String, severity: Diagnostic.Severity = .error
    ) -> Bool {
        guard let text = value.text, let variable = DevcontainerVariable.first(in: text) else { return true }
        diagnostics.append(contentsOf: [
            Diagnostic(
                severity, at: value.mark, "`\(key)` is ignored: it contains ${\(variable)}",
                hint: "write the value itself")
        ])
        return false
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
                "`\(entry.key)`: \(item.text ?? "") is ignored", at: item.mark,
                hint: "a companion is reached from the pod by its name")
            return false
        }
        result["ports"] = Node(.sequence((result["ports"]?.sequence ?? []) + ports), mark: entry.value.mark)
    }

    private mutating func readEnvironment(_ entry: Mapping.Entry) {
        for variable in entry.value.mapping?.entries ?? [] {
            guard let text = variable.value.text, DevcontainerVariable.first(in: text) != nil else {
                put("environment", [(variable.key, variable.value)], entry)
                continue
            }
            diagnostics.warning(
                "`\(entry.key).\(variable.key)` is ignored: it refers to the host or the container",
                at: variable.keyMark, hint: "name a host's variable under `pass:`")
        }
    }

    /// A command is a text for a shell, a list of arguments, or several of them by name.
    private mutating func readCommand(_ entry: Mapping.Entry) {
        let commands = entry.value.mapping.map { $0.entries.map(\.value) } ?? [entry.value]
        var texts: [Node] = []
        for command in commands {
            let words = command.sequence?.compactMap(\.text) ?? [command.text ?? ""]
            if let variable = words.lazy.compactMap({ DevcontainerVariable.first(in: $0, besides: .inShell) }).first {
                diagnostics.warning(
                    "`\(entry.key)` is ignored: it contains ${\(variable)}", at: command.mark,
                    hint: "name a host's variable under `pass:`, and say the command under `setup:`")
                continue
            }
            let text =
                command.sequence == nil
                ? DevcontainerVariable.inShell(words[0])
                : words.map { DevcontainerVariable.word($0) ?? shellQuoted($0) }.joined(separator: " ")
            texts.append(.string(text, mark: command.mark))
        }
        if texts.isEmpty { return }
        result["setup"] = Node(.sequence((result["setup"]?.sequence ?? []) + texts), mark: entry.value.mark)
    }

    private mutating func readRequirements(_ node: Node) {
        var inner = Mapping()
        inner["cpus"] = node.mapping?["cpus"]
        inner["memory"] = node.mapping?["memory"]
        inner["disk"] = node.mapping?["storage"]
        for entry in node.mapping?.entries ?? [] where !["cpus", "memory", "storage"].contains(entry.key) {
            diagnostics.warning("`hostRequirements.\(entry.key)` is ignored", at: entry.keyMark)
        }
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
