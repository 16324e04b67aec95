package import Deployments
package import OrderedCollections
package import Specs
import YAML

/// The agent, its egress and its companions as one stack of compose, made in memory.
package struct WorkspaceStack: Sendable {
    /// The session's or workspace's name; begins with a letter.
    package var name: String
    package var owner: String
    /// See `DeploymentDefinition.keeper`.
    package var keeper: String?
    package var stateDirectory: String
    package var image: String
    /// The numbers that the agent's processes run as.
    package var user: PodUser
    package var resources = WorkspaceResources()
    package var runtimeClass: String?
    /// Whether the agent runs containers in its pod.
    package var runsContainers = false
    /// Mounted read-only at ``PodPaths/baseStore``; nil: nothing is.
    package var baseStore: String?
    /// A directory of this host that the pod has at the same path, to work in; nil: a volume at ``PodPaths/work``.
    package var project: String?
    /// Files at ``PodPaths/scripts``, by name.
    package var scripts: [String: [UInt8]] = [:]
    /// Values that are secrets, by the name of the variable that holds each in the agent's pod.
    package var passed: [String: String] = [:]
    /// Files of the user's own that the agent's pod gets below ``PodPaths/scripts``, by name: kept as secrets are.
    package var copied: [String: String] = [:]
    package var environment: OrderedDictionary<String, String> = [:]
    /// Where its networks are; nil: the runtime chooses.
    package var addresses: SessionAddresses?
    /// Folders of the checkout that are volumes of their own, each with the volume; relative to ``checkout``.
    package var folders: [String: String] = [:]
    /// The checkout's directory in the pod.
    package var checkout = PodPaths.work
    /// What egress and companions add.
    package var part = StackPart()
    /// Whether the pod only waits, for work to be brought out of its volumes.
    package var isIdle = false
    package var spec = Spec()
    package var runtime = SessionRuntime()

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
        for (name, bytes) in allScripts { files["scripts/\(name)"] = bytes }
        for (name, bytes) in part.configs { files["configs/\(name)"] = bytes }
        var spec = spec
        // Names come from the egress alone: that of an internal network answers those of the outside too.
        spec.network.disabledDNS = [Located(StackPart.insideNetwork)]
        for (name, value) in part.config { spec.config[name] = Located(value) }
        for (name, value) in environment where Self.isGenerated(value) {
            spec.config[Self.variable(name)] = Located(value)
        }
        for (name, target) in part.routes.sorted(by: { $0.key < $1.key }) {
            spec.network.httpProxies.append(
                HTTPProxy(hostName: name, routes: [HTTPProxy.Route(path: "/", proxyTo: target)]))
        }
        if let image = part.routesImage { spec.caddyIngressImage = image }
        runtime.fill(&spec)
        if let runtimeClass { spec.security.runtimeClass = runtimeClass }
        if let disk = resources.disk { spec.resources.byVolume["work"] = Located(disk) }
        var definition = DeploymentDefinition(
            id: name, name: name, owner: owner, compose: compose.yaml(), files: files, spec: spec,
            stateDirectory: stateDirectory)
        definition.kubeconfig = runtime.kubeconfig
        definition.keeper = keeper
        definition.secrets = secretValues
        definition.allowedPaths =
            [baseStore, project].compactMap(\.self) + part.agentMounts.values + part.allowedPaths
        return definition
    }

    private var allScripts: [String: [UInt8]] { scripts.merging(part.agentFiles) { $1 } }

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
        if !isIdle, !folders.isEmpty { services[StackPart.checkoutService] = checkoutJob }
        if isIdle { services = services.filter { $0.key == StackPart.agentService } }
        let configs =
            allScripts.keys.map { ($0, "./scripts/\($0)") } + part.configs.keys.map { ($0, "./configs/\($0)") }
        let secrets = Array(copied.keys) + Array(part.secrets.keys)
        return .map([
            ("services", Self.sorted(services)),
            ("volumes", Self.sorted(part.volumes.merging(ownVolumes) { $1 })),
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
        let isWide = !isIdle && part.services[StackPart.egressService] != nil
        all[StackPart.insideNetwork] = .map([("internal", .plain("true"))] + (addresses?.insideKeys ?? []))
        if isWide { all[StackPart.outsideNetwork] = .map(addresses?.outsideKeys ?? []) }
        return Self.sorted(all)
    }

    private var agent: Node {
        var keys: [(String, Node)] = [
            ("image", .string(image)), ("pull_policy", .string(runtime.mountsHost ? "never" : "missing")),
            ("entrypoint", .list([])),
            ("command", Self.texts(["sh", "\(PodPaths.scripts)/main"])),
            ("user", .string("\(user.user):\(user.group)")), ("working_dir", .string("/")),
            ("cap_drop", Self.texts(["ALL"])), ("security_opt", Self.texts(securityOptions)),
            ("read_only", .plain("true")), ("tmpfs", Self.texts(["/tmp", "/run", "/var/tmp"])),
            ("pids_limit", .plain("4096")), ("stop_grace_period", .string("15s")),
            ("networks", .map([(StackPart.insideNetwork, place)])),
            ("volumes", .list(mounts)), ("configs", .list(configMounts)),
            ("environment", environmentNode), ("healthcheck", health),
            // On a cluster a pod that ends and stays ended is a job.
            ("restart", .string(runtime.mountsHost ? "no" : "unless-stopped")),
        ]
        if nests { keys.append(("cap_add", Self.texts(["SETUID", "SETGID"]))) }
        if !copied.isEmpty { keys.append(("secrets", .list(secretMounts))) }
        if !part.hosts.isEmpty {
            keys.append(("extra_hosts", Self.sorted(part.hosts.mapValues { .string($0) })))
        }
        if let cpus = resources.cpus { keys.append(("cpus", .string("\(cpus)"))) }
        if let memory = resources.memory { keys.append(("mem_limit", .string("\(memory)"))) }
        if !part.agentDNS.isEmpty { keys.append(("dns", Self.texts(part.agentDNS))) }
        if !isIdle, !dependencies.isEmpty { keys.append(("depends_on", Self.sorted(dependencies))) }
        return .map(keys)
    }

    /// A cluster gives a pod neither its own view of /proc nor every system call.
    private var nests: Bool { runsContainers && runtime.mountsHost && !isIdle }

    /// Rootless containers want what the profile of system calls keeps from whoever is not root, a /proc that can be mounted again, and the two
    /// capabilities that map numbers, which `no-new-privileges` would take away.
    private var securityOptions: [String] {
        nests
            ? ["no-new-privileges:false", "seccomp=unconfined", "systempaths=unconfined"] : ["no-new-privileges:true"]
    }

    private var dependencies: [String: Node] {
        var all = part.agentDependencies
        if !folders.isEmpty { all[StackPart.checkoutService] = "service_completed_successfully" }
        return all.mapValues { .map([("condition", .string($0))]) }
    }

    /// Makes the checkout, and gives the folders that companions share to their volumes. Nothing of the project runs in it.
    private var checkoutJob: Node {
        let shared = folders.values.sorted().map { "\($0):\(PodPaths.folders)/\($0)" }
        return .map([
            ("image", .string(image)), ("pull_policy", .string("never")), ("entrypoint", .list([])),
            ("command", Self.texts(["sh", "\(PodPaths.scripts)/checkout"])),
            ("user", .string("\(user.user):\(user.group)")), ("working_dir", .string("/")),
            ("cap_drop", Self.texts(["ALL"])), ("security_opt", Self.texts(["no-new-privileges:true"])),
            ("read_only", .plain("true")), ("tmpfs", Self.texts(["/tmp"])), ("network_mode", .string("none")),
            ("environment", .map([("HOME", .string(PodPaths.home))])),
            ("volumes", .list(ownMounts + shared.map { .string($0) })), ("configs", .list(configMounts)),
            ("restart", .string("no")),
        ])
    }

    private var place: Node {
        guard let address = part.agentAddress, addresses != nil else { return .map([]) }
        return .map([("ipv4_address", .string(address))])
    }

    private var ownVolumes: [String: Node] {
        let names = ["home"] + (project == nil ? ["work"] : []) + folders.values
        return Dictionary(uniqueKeysWithValues: names.map { ($0, .map([])) })
    }

    private var mounts: [Node] {
        let shared = folders.sorted { $0.key < $1.key }.map { path, volume in
            Node.string("\(volume):\(path.isEmpty ? checkout : "\(checkout)/\(path)")")
        }
        let shown = part.agentMounts.sorted { $0.key < $1.key }.map {
            Self.bind($0.value, at: $0.key, isReadOnly: true)
        }
        return ownMounts + shared + shown
    }

    private var ownMounts: [Node] {
        // podman gives a volume the owner that the image says, a cluster that of the pod.
        let option = runtime.mountsHost ? "" : ":nocopy"
        let home = Node.string("home:\(PodPaths.home)\(option)")
        let work = project.map { Self.bind($0, at: $0) } ?? .string("work:\(PodPaths.work)\(option)")
        return [work, home] + (baseStore.map { [Self.bind($0, at: PodPaths.baseStore, isReadOnly: true)] } ?? [])
    }

    /// The long form: a path may hold a colon.
    private static func bind(_ source: String, at target: String, isReadOnly: Bool = false) -> Node {
        .map([
            ("type", .string("bind")), ("source", .string(literal(source))), ("target", .string(literal(target))),
            ("read_only", .plain("\(isReadOnly)")),
        ])
    }

    private var configMounts: [Node] {
        allScripts.keys.sorted().map { name in
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
            values[name] = Self.isGenerated(value) ? "${\(Self.variable(name))}" : Self.literal(value)
        }
        for (name, value) in part.agentReferences.sorted(by: { $0.key < $1.key }) where values[name] == nil {
            values[name] = value
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

    private static func isGenerated(_ value: String) -> Bool { value.hasPrefix("$generate:") }

    /// The text as compose reads it back: nothing in it is a variable.
    private static func literal(_ text: String) -> String { text.replacing("$", with: "$$") }

    private static func texts(_ texts: [String]) -> Node { .list(texts.map { .string($0) }) }

    private static func sorted(_ nodes: [String: Node]) -> Node {
        .map(nodes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
}
