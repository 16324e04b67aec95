package import Deployments
package import OrderedCollections
package import Stacks
import YAML

/// The agent, its egress and its companions as one stack of compose, made in memory.
package struct WorkspaceStack: Sendable {
    /// The session's or workspace's name; begins with a letter.
    package var name: String
    package var owner: String
    package var stateDirectory: String
    package var image: String
    /// The numbers that the agent's processes run as.
    package var user: PodUser
    package var resources = WorkspaceResources()
    package var runtimeClass: String?
    /// Mounted read-only at ``PodPaths/baseStore``; nil: nothing is.
    package var baseStore: String?
    /// Files at ``PodPaths/scripts``, by name.
    package var scripts: [String: [UInt8]] = [:]
    /// Values that are secrets, by the name of the variable that holds each in the agent's pod.
    package var passed: [String: String] = [:]
    /// Files of the user's own that the agent's pod gets below ``PodPaths/scripts``, by name: kept as secrets are.
    package var copied: [String: String] = [:]
    package var environment: OrderedDictionary<String, String> = [:]
    /// What egress and companions add.
    package var part = StackPart()
    /// Whether the pod only waits, for work to be brought out of its volumes.
    package var isIdle = false
    package var spec = Spec()

    package init(name: String, owner: String, stateDirectory: String, image: String, user: PodUser) {
        self.name = name
        self.owner = owner
        self.stateDirectory = stateDirectory
        self.image = image
        self.user = user
    }

    /// The stack as the engine takes it.
    package func definition() -> DeploymentDefinition {
        var files: [String: [UInt8]] = [:]
        for (name, bytes) in scripts { files["scripts/\(name)"] = bytes }
        for (name, bytes) in part.configs { files["configs/\(name)"] = bytes }
        var definition = DeploymentDefinition(
            id: name, name: name, owner: owner, compose: compose.yaml(), files: files, spec: spec,
            stateDirectory: stateDirectory)
        definition.secrets = secretValues
        definition.allowedPaths = baseStore.map { [$0] } ?? []
        return definition
    }

    private var secretValues: [String: String] {
        var values = Dictionary(uniqueKeysWithValues: passed.map { (Self.variable($0.key), $0.value) })
        for (name, text) in copied { values[Self.variable(name)] = text }
        for (name, bytes) in part.secrets { values[Self.variable(name)] = String(decoding: bytes, as: UTF8.self) }
        return values
    }

    /// The name under which a secret's value is handed in; none of the user's own variables is called so.
    private static func variable(_ name: String) -> String {
        "SO_SECRET_" + name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined().uppercased()
    }

    // MARK: compose

    private var compose: Node {
        var services = part.services
        services[StackPart.agentService] = agent
        if isIdle { services = services.filter { $0.key == StackPart.agentService } }
        let configs = scripts.keys.map { ($0, "./scripts/\($0)") } + part.configs.keys.map { ($0, "./configs/\($0)") }
        let secrets = Array(copied.keys) + Array(part.secrets.keys)
        return .map([
            ("services", Self.sorted(services)),
            ("volumes", Self.sorted(part.volumes.merging(["work": .map([]), "home": .map([])]) { $1 })),
            ("networks", networks),
            ("configs", Self.sorted(Dictionary(configs.map { ($0.0, Node.map([("file", .string($0.1))])) }) { $1 })),
            (
                "secrets",
                Self.sorted(
                    Dictionary(secrets.map { ($0, Node.map([("environment", .string(Self.variable($0)))])) }) { $1 })
            ),
        ])
    }

    private var networks: Node {
        var all = part.networks
        if all[StackPart.insideNetwork] == nil { all[StackPart.insideNetwork] = .map([("internal", .plain("true"))]) }
        return Self.sorted(all)
    }

    private var agent: Node {
        var keys: [(String, Node)] = [
            ("image", .string(image)), ("pull_policy", .string("never")),
            ("entrypoint", .list([])),
            ("command", Self.texts(["sh", "\(PodPaths.scripts)/main"])),
            ("user", .string("\(user.user):\(user.group)")), ("working_dir", .string("/")),
            ("cap_drop", Self.texts(["ALL"])), ("security_opt", Self.texts(["no-new-privileges:true"])),
            ("read_only", .plain("true")), ("tmpfs", Self.texts(["/tmp", "/run", "/var/tmp"])),
            ("pids_limit", .plain("4096")), ("stop_grace_period", .string("15s")),
            ("networks", Self.texts([StackPart.insideNetwork])),
            ("volumes", Self.texts(mounts)), ("configs", .list(configMounts)),
            ("environment", environmentNode), ("healthcheck", health), ("restart", .string("no")),
        ]
        if !copied.isEmpty { keys.append(("secrets", .list(secretMounts))) }
        if !part.hosts.isEmpty {
            keys.append(("extra_hosts", Self.sorted(part.hosts.mapValues { .string($0) })))
        }
        if let cpus = resources.cpus { keys.append(("cpus", .string("\(cpus)"))) }
        if let memory = resources.memory { keys.append(("mem_limit", .string("\(memory)"))) }
        if !part.agentDNS.isEmpty { keys.append(("dns", Self.texts(part.agentDNS))) }
        if !isIdle, part.services[StackPart.egressService] != nil {
            keys.append(("depends_on", Self.texts([StackPart.egressService])))
        }
        return .map(keys)
    }

    private var mounts: [String] {
        let own = ["work:\(PodPaths.work)", "home:\(PodPaths.home)"]
        return own + (baseStore.map { ["\($0):\(PodPaths.baseStore):ro"] } ?? [])
    }

    private var configMounts: [Node] {
        scripts.keys.sorted().map { name in
            .map([("source", .string(name)), ("target", .string("\(PodPaths.scripts)/\(name)"))])
        }
    }

    private var secretMounts: [Node] {
        copied.keys.sorted().map { name in
            .map([
                ("source", .string(name)), ("target", .string("\(PodPaths.scripts)/\(name)")),
                ("uid", .string("\(user.user)")), ("gid", .string("\(user.group)")), ("mode", .plain("0400")),
            ])
        }
    }

    private var environmentNode: Node {
        let all: OrderedDictionary<String, String> = ["HOME": PodPaths.home, "LANG": "C.UTF-8"]
        var values = all.mapValues(Self.literal)
        for (name, value) in part.agentEnvironment.sorted(by: { $0.key < $1.key }) {
            values[name] = Self.literal(value)
        }
        for (name, value) in environment {
            values[name] = value.hasPrefix("$generate:") ? value : Self.literal(value)
        }
        for name in passed.keys.sorted() { values[name] = "${\(Self.variable(name))}" }
        return .map(values.map { ($0.key, .string($0.value)) })
    }

    /// Ready as soon as process 1 says so.
    private var health: Node {
        .map([
            ("test", Self.texts(["CMD", "test", "-e", "\(PodPaths.run)/ready"])), ("interval", .string("100ms")),
            ("timeout", .string("5s")), ("retries", .plain("6000")),
        ])
    }

    /// The text as compose reads it back: nothing in it is a variable.
    private static func literal(_ text: String) -> String { text.replacing("$", with: "$$") }

    private static func texts(_ texts: [String]) -> Node { .list(texts.map { .string($0) }) }

    private static func sorted(_ nodes: [String: Node]) -> Node {
        .map(nodes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
}
