import OrderedCollections
import Specs
import YAML

extension WorkspaceDefinition {
    /// Lays documents over each other, the weakest first, and reads what comes of it.
    package init(layers: [DefinitionDocument]) {
        self.init()
        var merge = DefinitionMerge()
        for layer in layers { merge.add(layer) }
        origins = merge.origins
        let node = Node(.mapping(merge.merged))
        readImage(node)
        readParts(node)
        readLife(node)
    }

    private mutating func readImage(_ node: Node) {
        if let image = node.text("image") { source = .image(image) }
        if let template = node.text("template") { source = .template(template) }
        if let build = node.value("build") { source = .build(ProjectBuild(build)) }
        for entry in node.entries("languages") { languages[entry.key] = entry.value.text }
        tools = node.values("tools")
        frameworks = node.values("frameworks")
        agent = node.text("agent") ?? agent
    }

    private mutating func readParts(_ node: Node) {
        databases = node.items("databases").flatMap(Database.read)
        compose.files = node.text("compose").map { [$0] } ?? node.values("compose")
        compose.profiles = node.values("profiles")
        compose.services = node.values("services")
        ports = node.values("ports").compactMap { Int($0) }
        setup = node.values("setup")
        for entry in node.entries("environment") {
            environment[entry.key] = entry.value.isNull ? "" : entry.value.text ?? ""
        }
        pass = node.values("pass")
        copy = node.values("copy")
        if let section = node.value("egress") {
            egress.allow = section.values("allow").map { $0.lowercased() }
            egress.deniesAll = section.bool("deny-all") ?? true
            egress.allowsPush = section.bool("push") ?? false
        }
        budget.cost = node.value("budget")?.text("cost").flatMap { Double($0) }
        budget.tokens = node.value("budget")?.integer("tokens")
    }

    private mutating func readLife(_ node: Node) {
        if let section = node.value("resources") {
            resources.cpus = section.text("cpus").flatMap { Quantity(cpus: $0) }
            resources.memory = section.text("memory").flatMap { Quantity(bytes: $0) }
            resources.disk = section.text("disk").flatMap { Quantity(bytes: $0) }
        }
        onExit = node.text("on-exit").flatMap { ExitPolicy(rawValue: $0) }
        keepsRunning = node.bool("keep-running") ?? false
        idleTimeout = node.text("idle-timeout").flatMap { seconds($0) }
        user = node.text("user").flatMap { PodUser($0) }
        runtimeClass = node.text("runtime-class")
        sharesCache = node.bool("cache") ?? false
    }
}

extension Node {
    fileprivate func values(_ key: String) -> [String] { texts(key).map(\.value) }
}

extension ProjectBuild {
    fileprivate init(_ node: Node) {
        self.init()
        if let text = node.text {
            context = text
            return
        }
        context = node.text("context") ?? "."
        containerfile = node.text("dockerfile")
        target = node.text("target")
        for (name, value) in node.textMap("args") { arguments[name] = value.value }
    }
}

extension Database {
    fileprivate static func read(_ node: Node) -> [Database] {
        if let text = node.text { return Kind(rawValue: text).map { [Database($0)] } ?? [] }
        return (node.mapping?.entries ?? []).compactMap { entry in
            guard let kind = Kind(rawValue: entry.key), let place = entry.value.text else { return nil }
            return Database(kind, place == "host" ? .host : .companion(version: place))
        }
    }
}
