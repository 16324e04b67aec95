import OrderedCollections
import Specs
import SystemCrypto
package import YAML

extension WorkspaceDefinition {
    /// One value with who decided it.
    package struct Line: Hashable, Sendable {
        package var path: String
        package var value: String
        package var layer: String
        /// Where it stands; empty for a default.
        package var place: String
    }

    /// Every value with its layer, in the order of the documentation.
    package var explanation: [Line] {
        leaves.map { path, value in
            let origin = origins[path] ?? origins[String(path.prefix { $0 != "." })] ?? ValueOrigin(layer: .builtIn)
            let place = origin.layer == .builtIn || origin.mark == .generated ? "" : origin.mark.description
            return Line(path: path, value: value, layer: origin.layer.rawValue, place: place)
        }
    }

    /// The whole definition as workspace.yml would say it.
    package var node: Node {
        var root = Mapping()
        for (path, value) in leaves {
            let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
            let node = Node.string(value)
            guard parts.count == 2, let key = parts.first, let inner = parts.last else {
                root[path] = list(path) ?? Self.scalar(path, value)
                continue
            }
            var section = root[key]?.mapping ?? Mapping()
            section[inner] = list(path) ?? (key == "egress" || key == "budget" ? Self.scalar(path, value) : node)
            root[key] = Node(.mapping(section))
        }
        return Node(.mapping(root))
    }

    private static func scalar(_ path: String, _ value: String) -> Node {
        ["keep-running", "cache", "egress.deny-all", "egress.push", "budget.cost", "budget.tokens"].contains(path)
            ? .plain(value) : .string(value)
    }

    private func list(_ path: String) -> Node? {
        let texts = [
            "tools": tools, "frameworks": frameworks, "setup": setup, "pass": pass, "copy": copy,
            "compose": compose.files, "profiles": compose.profiles, "services": compose.services,
            "egress.allow": egress.allow,
        ]
        if let items = texts[path] { return .list(items.map { .string($0) }) }
        if path == "ports" { return .list(ports.map { .plain("\($0)") }) }
        return path == "databases" ? .list(databases.map(\.node)) : nil
    }

    private var leaves: [(String, String)] {
        var leaves: [(String, String)] = []
        func add(_ path: String, _ value: String?) { if let value { leaves.append((path, value)) } }
        func add(_ path: String, _ values: [String]) {
            if !values.isEmpty { leaves.append((path, values.joined(separator: ", "))) }
        }
        switch source {
        case .template(let name): add("template", name)
        case .image(let image): add("image", image)
        case .build(let build): add("build", build.context)
        }
        for (name, version) in languages { add("languages.\(name)", version) }
        add("tools", tools)
        add("databases", databases.map(\.text))
        add("frameworks", frameworks)
        add("agent", agent)
        add("compose", compose.files)
        add("profiles", compose.profiles)
        add("services", compose.services)
        add("ports", ports.map(String.init))
        add("setup", setup)
        for (name, value) in environment { add("environment.\(name)", value) }
        add("pass", pass)
        add("copy", copy)
        add("egress.allow", egress.allow)
        add("egress.deny-all", "\(egress.deniesAll)")
        add("egress.push", "\(egress.allowsPush)")
        add("budget.cost", budget.cost.map { "\($0)" })
        add("budget.tokens", budget.tokens.map { "\($0)" })
        add("resources.cpus", resources.cpus?.text)
        add("resources.memory", resources.memory?.text)
        add("resources.disk", resources.disk?.text)
        add("on-exit", onExit?.rawValue)
        add("keep-running", "\(keepsRunning)")
        add("idle-timeout", idleTimeout.map { "\($0)s" })
        add("user", user.map { "\($0.user):\($0.group)" })
        add("runtime-class", runtimeClass)
        add("cache", "\(sharesCache)")
        return leaves
    }

    /// What a pod of it depends on: whether an environment that runs is still the one that was asked for.
    package var digest: String { sha256Hex(node.json(pretty: false)) }
}

extension Database {
    package var text: String {
        switch place {
        case .companion(nil): kind.rawValue
        case .companion(let version?): "\(kind.rawValue) \(version)"
        case .host: "\(kind.rawValue) of the host"
        }
    }

    package var node: Node {
        switch place {
        case .companion(nil): .string(kind.rawValue)
        case .companion(let version?): .map([(kind.rawValue, .string(version))])
        case .host: .map([(kind.rawValue, .string("host"))])
        }
    }
}
