import Compose
import OrderedCollections
import SystemCrypto
import YAML

/// The first digits of a text's digest: tells names apart.
func shortDigest(_ text: String) -> String { String(sha256Hex(text).prefix(8)) }

/// One service of a project's compose file on its way to a companion.
struct ServiceReading {
    private let service: Service
    private let loaded: Compose.Project
    private let project: Project
    private let folders: [String: String]
    private let tree: FileTree
    /// Whether folders and files of the project are mounted as they stand: in a workspace that works on the project itself.
    private let isInPlace: Bool
    private(set) var volumes: OrderedDictionary<String, Node> = [:]
    private(set) var configs: [String: [UInt8]] = [:]
    private(set) var secrets: [String: [UInt8]] = [:]
    private(set) var build: BaseBuild?
    private(set) var diagnostics = Diagnostics()
    private var sharesFolders = false
    /// Files of the project that are mounted as they are now.
    private var files: [Node] = []

    init(
        _ service: Service, of loaded: Compose.Project, in project: Project, folders: [String: String], tree: FileTree,
        isInPlace: Bool = false
    ) {
        self.isInPlace = isInPlace
        self.service = service
        self.loaded = loaded
        self.project = project
        self.folders = folders
        self.tree = tree
    }

    /// Keys that a companion keeps as they are.
    private static let kept: Set<String> = [
        "image", "command", "entrypoint", "environment", "healthcheck", "expose", "user", "working_dir", "hostname",
        "init", "stop_signal", "stop_grace_period", "shm_size", "ulimits", "read_only", "cap_drop", "tty", "stdin_open",
        "mem_limit", "mem_reservation", "cpus", "pids_limit", "tmpfs", "restart", "group_add",
    ]
    /// Keys that are read here, or that mean nothing in a session.
    private static let read: Set<String> = [
        "build", "networks", "volumes", "configs", "secrets", "depends_on", "ports", "profiles", "container_name",
        "labels",
        "env_file", "pull_policy", "attach", "annotations", "develop", "logging",
    ]

    /// Every name under which others reach it.
    var names: [String] {
        let aliases = service.networks.values.flatMap(\.aliases)
        return Array(
            OrderedSet([service.name] + [service.containerName, service.hostname].compactMap(\.self) + aliases))
    }

    /// - Parameter written: the service in compose's canonical form.
    mutating func node(_ written: Mapping?) -> Node {
        refuse()
        var keys: [(String, Node)] = []
        for entry in written?.entries ?? [] {
            if Self.kept.contains(entry.key), !entry.value.isNull {
                keys.append((entry.key, entry.value.literalForCompose))
            } else if !Self.kept.contains(entry.key), !Self.read.contains(entry.key), !entry.key.hasPrefix("x-"),
                !entry.value.isNull, !Self.refused.contains(entry.key)
            {
                diagnostics.warning(
                    "service \(service.name): `\(entry.key)` is left out in a session", at: service.mark(of: entry.key))
            }
        }
        if let build = service.build { keys = keys.filter { $0.0 != "image" } + [("image", .string(image(build)))] }
        let mounts = service.volumes.flatMap { mount($0) }
        if !mounts.isEmpty { keys.append(("volumes", .list(mounts))) }
        let configs = service.configs.compactMap { file($0, isSecret: false) } + files
        if !configs.isEmpty { keys.append(("configs", .list(configs))) }
        let secrets = service.secrets.compactMap { file($0, isSecret: true) }
        if !secrets.isEmpty { keys.append(("secrets", .list(secrets))) }
        if !dependencies.isEmpty { keys.append(("depends_on", .map(dependencies))) }
        keys.append(("security_opt", .list([.string("no-new-privileges:true")])))
        return .map(keys)
    }

    // MARK: What is refused

    private static let refused: Set<String> = [
        "privileged", "cap_add", "devices", "device_cgroup_rules", "gpus", "network_mode", "pid", "ipc", "uts",
        "userns_mode", "cgroup", "cgroup_parent", "security_opt", "sysctls", "use_api_socket", "runtime",
        "volumes_from",
        "extra_hosts", "external_links",
    ]

    private mutating func refuse() {
        if [StackPart.agentService, StackPart.egressService, StackPart.checkoutService].contains(service.name) {
            error("the name is that of a part of every session", "rename the service", key: nil)
        }
        let wishes: [(Bool, String)] = [
            (service.privileged == true, "privileged"), (!service.capAdd.isEmpty, "cap_add"),
            (!service.devices.isEmpty, "devices"), (!service.deviceCgroupRules.isEmpty, "device_cgroup_rules"),
            (!service.gpus.isEmpty, "gpus"), (service.networkMode.map { $0 != "bridge" } ?? false, "network_mode"),
            (service.pid != nil, "pid"), (service.ipc.map { $0 != "private" } ?? false, "ipc"),
            (service.uts != nil, "uts"),
            (service.usernsMode != nil, "userns_mode"), (service.cgroup.map { $0 != "private" } ?? false, "cgroup"),
            (service.cgroupParent != nil, "cgroup_parent"), (!service.sysctls.isEmpty, "sysctls"),
            (service.securityOpt.contains { !$0.hasPrefix("no-new-privileges") }, "security_opt"),
            (service.useAPISocket == true, "use_api_socket"), (service.runtime != nil, "runtime"),
            (!service.volumesFrom.isEmpty, "volumes_from"),
            (service.extraHosts.contains { $0.address == "host-gateway" }, "extra_hosts"),
        ]
        for (isAsked, key) in wishes where isAsked {
            error(
                "a companion of an agent may not have it",
                "remove it, or leave the service out: `services:` in workspace.yml",
                key: key)
        }
    }

    private mutating func error(_ reason: String, _ hint: String, key: String?) {
        let what = key.map { ": `\($0)`" } ?? ""
        diagnostics.error(
            "service \(service.name)\(what): \(reason)", at: key.map { service.mark(of: $0) } ?? service.mark,
            hint: hint)
    }

    // MARK: Image

    private mutating func image(_ build: Build) -> String {
        let unsupported: [(Bool, String)] = [
            (build.dockerfileInline != nil, "dockerfile_inline"), (!build.ssh.isEmpty, "ssh"),
            (!build.secrets.isEmpty, "secrets"), (!build.additionalContexts.isEmpty, "additional_contexts"),
            (build.network != nil, "network"), (build.privileged == true, "privileged"),
        ]
        for (isAsked, key) in unsupported where isAsked {
            error(
                "a session does not build with it", "build the image yourself and name it with `image:`",
                key: "build.\(key)")
        }
        let context = build.context ?? project.path
        guard isInside(context, project, tree) else {
            error("its context \(context) is not in the project", "build the image yourself and name it", key: "build")
            return "none"
        }
        let path = relative(context, to: project)
        do {
            let base = try BaseBuild(
                ProjectBuild(
                    context: path.isEmpty ? "." : path, containerfile: build.dockerfile, target: build.target,
                    arguments: build.args.mapValues(\.text.masked)), project: project, tree: tree)
            self.build = base
            return base.tag
        } catch {
            diagnostics.error("service \(service.name): `build`: \(error)", at: build.mark)
            return "none"
        }
    }

    // MARK: Storage

    private mutating func mount(_ mount: VolumeMount) -> [Node] {
        switch mount.kind {
        case .tmpfs: return [long("tmpfs", nil, mount.target, isReadOnly: false)]
        case .volume: return named(mount).map { [$0] } ?? []
        case .bind: return bind(mount)
        case .image, .npipe, .cluster:
            error("a session mounts no \(mount.kind.rawValue)", "use a named volume", key: "volumes")
            return []
        }
    }

    private mutating func named(_ mount: VolumeMount) -> Node? {
        guard let key = mount.source else { return .string(literalForCompose(mount.target)) }
        let volume = loaded.volumes[key]
        guard volume?.isExternal != true, volume?.driverOpts.isEmpty ?? true, mount.volume?.subpath == nil else {
            error(
                "the volume \(key) is not the session's own to make", "give it neither `external` nor options",
                key: "volumes")
            return nil
        }
        let name = "project-\(shortDigest(key))"
        volumes[name] = .map([])
        return long("volume", name, mount.target, isReadOnly: mount.isReadOnly)
    }

    private mutating func bind(_ mount: VolumeMount) -> [Node] {
        let source = mount.source ?? ""
        guard isInside(source, project, tree) else {
            error("\(source) is not in the project", "mount folders of the project, or a named volume", key: "volumes")
            return []
        }
        if isInPlace { return inPlace(source, mount) }
        guard tree.kind(source) == .file else { return shared(relative(source, to: project), mount) }
        guard let bytes = try? tree.read(source), bytes.count <= 1 << 20 else {
            error("\(source) is not a file of at most 1 MiB", "mount its folder", key: "volumes")
            return []
        }
        let name = "project-file-\(shortDigest(source))"
        configs[name] = bytes
        files.append(.map([("source", .string(name)), ("target", .string(literalForCompose(mount.target)))]))
        return []
    }

    private mutating func inPlace(_ source: String, _ mount: VolumeMount) -> [Node] {
        guard tree.kind(source) != .none else {
            error("\(source) does not exist", "make it, or correct the path", key: "volumes")
            return []
        }
        return [long("bind", literalForCompose(source), mount.target, isReadOnly: mount.isReadOnly)]
    }

    /// A folder of the checkout, with the folders in it that are volumes of their own.
    private mutating func shared(_ path: String, _ mount: VolumeMount) -> [Node] {
        sharesFolders = true
        let inner = folders.keys.filter { $0 != path && (path.isEmpty || $0.hasPrefix(path + "/")) }.sorted()
        return ([path] + inner).compactMap { folder in
            guard let volume = folders[folder] else { return nil }
            let rest =
                folder == path ? "" : "/" + (path.isEmpty ? folder : String(folder.dropFirst(path.utf8.count + 1)))
            return long("volume", volume, mount.target + rest, isReadOnly: mount.isReadOnly, isEmpty: true)
        }
    }

    private func long(
        _ type: String, _ source: String?, _ target: String, isReadOnly: Bool, isEmpty: Bool = false
    ) -> Node {
        var keys: [(String, Node)] = [("type", .string(type)), ("target", .string(literalForCompose(target)))]
        if let source { keys.append(("source", .string(source))) }
        if isReadOnly { keys.append(("read_only", .plain("true"))) }
        if isEmpty { keys.append(("volume", .map([("nocopy", .plain("true"))]))) }
        return .map(keys)
    }

    private mutating func file(_ reference: FileReference, isSecret: Bool) -> Node? {
        let key = isSecret ? "secrets" : "configs"
        let source = isSecret ? loaded.secrets[reference.source]?.source : loaded.configs[reference.source]?.source
        guard case .file(let path)? = source, isInside(path, project, tree), let bytes = try? tree.read(path) else {
            error(
                "\(reference.source) is not a file of the project", "write `file:` with a path in the project", key: key
            )
            return nil
        }
        let name = "project-\(isSecret ? "secret" : "config")-\(shortDigest(reference.source))"
        if isSecret { secrets[name] = bytes } else { configs[name] = bytes }
        let target = reference.target ?? (isSecret ? "/run/secrets/\(reference.source)" : "/\(reference.source)")
        return .map([("source", .string(name)), ("target", .string(literalForCompose(target)))])
    }

    // MARK: Order

    private var dependencies: [(String, Node)] {
        var result = service.dependsOn.compactMap { name, dependency -> (String, Node)? in
            guard loaded.services[name] != nil else { return nil }
            return (name, .map([("condition", .string(dependency.condition.rawValue))]))
        }
        if sharesFolders {
            result.append((StackPart.checkoutService, .map([("condition", .string("service_completed_successfully"))])))
        }
        return result
    }
}

/// The text as compose reads it back: nothing in it is a variable.
func literalForCompose(_ text: String) -> String { text.replacing("$", with: "$$") }

extension Node {
    /// The same in a compose file that is interpolated once more.
    fileprivate var literalForCompose: Node {
        switch content {
        case .scalar: text.map { $0.contains("$") ? .string(Workspaces.literalForCompose($0)) : self } ?? self
        case .sequence(let items): .list(items.map(\.literalForCompose))
        case .mapping(let mapping): .map(mapping.entries.map { ($0.key, $0.value.literalForCompose) })
        }
    }
}
