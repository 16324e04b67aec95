import Runtimes
import Specs
import YAML

extension Configuration {
    /// Reads orchestrator.yml.
    ///
    /// - Throws: `InvalidInput` with every fault and its place; `OrchestratorError` (`missing`) where the file does not exist.
    package static func load(_ path: String, workingDirectory: String) throws -> Configuration {
        let file = path.hasPrefix("/") ? path : "\(workingDirectory)/\(path)"
        guard let bytes = try Files.readIfPresent(file) else {
            throw OrchestratorError(
                .missing, "the configuration \(path) does not exist",
                hint: "name it with --config; docs/orchestrator.md begins with one of ten lines")
        }
        var validation = Validation()
        let node = try loadYAMLDocument(bytes, file: path)
        validation.check(node, .orchestrator, at: "")
        let reader = ConfigurationReader(node, directory: Files.parent(of: file))
        try validation.diagnostics.throwIfErrors()
        let configuration = try reader.configuration(file: file)
        validation.diagnostics.append(contentsOf: reader.faults(configuration))
        try validation.diagnostics.throwIfErrors()
        return configuration
    }
}

/// Reads a node whose shape was checked.
struct ConfigurationReader {
    let node: Node
    /// That of the file: paths are relative to it.
    private let directory: String

    init(_ node: Node, directory: String) {
        self.node = node
        self.directory = directory
    }

    func configuration(file: String) throws(OrchestratorError) -> Configuration {
        let state = node.text("state-directory").map(path) ?? directory
        guard let listen = ListenAddress(node.text("listen") ?? "127.0.0.1:8420"), let forge = try forge() else {
            throw OrchestratorError(.invalid, "\(file) cannot be read")
        }
        var configuration = Configuration(
            file: file, places: ConfigurationPlaces(node, file: node.mark.file), listen: listen,
            url: trimmed(node.text("url") ?? ""), store: try store(state),
            stateDirectory: state, runtime: node.text("runtime") ?? "podman",
            kubeConfig: node.text("kube-config").map(path), forge: forge, credentials: credentials(state),
            agents: agents(), projects: node.items("projects").map(project))
        configuration.administratorTokenFile = node.text("administrator-token-file").map(path)
        configuration.imageRegistry = node.text("image-registry")
        configuration.maxParallel = node.integer("max-parallel") ?? configuration.maxParallel
        configuration.attempts = node.integer("attempts") ?? configuration.attempts
        configuration.idleTimeout = node.span("idle-timeout") ?? configuration.idleTimeout
        configuration.keepSessions = node.span("keep-sessions") ?? configuration.keepSessions
        return configuration
    }

    private func path(_ text: String) -> String { text.hasPrefix("/") ? text : "\(directory)/\(text)" }

    private func trimmed(_ address: String) -> String { address.hasSuffix("/") ? String(address.dropLast()) : address }

    private func store(_ state: String) throws(OrchestratorError) -> StoreLocation {
        let text = node.text("store") ?? "sqlite:\(state)/orchestrator.db"
        if text.hasPrefix("sqlite:") { return .sqlite(path: path(String(text.dropFirst("sqlite:".count)))) }
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else {
            let mark = node.value("store")?.mark
            throw OrchestratorError(
                .invalid, "the store cannot be read",
                diagnostics: [
                    Diagnostic(
                        .error, at: mark, "store: invalid store `\(printable(text))`",
                        hint: "sqlite:orchestrator.db, or postgresql://so@db.example.com/so")
                ])
        }
        return .postgresql(address: text, passwordFile: node.text("store-password-file").map(path))
    }

    private func forge() throws(OrchestratorError) -> ForgeConfiguration? {
        guard let section = node.value("forge"), let kind = section.text("kind").flatMap({ ForgeKind(rawValue: $0) }),
            let secret = section.text("webhook-secret-file")
        else { return nil }
        var forge = ForgeConfiguration(
            kind: kind, api: trimmed(section.text("api") ?? Self.defaultAPI(kind)), webhookSecretFile: path(secret),
            tokenFile: section.text("token-file").map(path), appID: section.text("app-id"),
            privateKeyFile: section.text("private-key-file").map(path), name: section.text("name") ?? "so")
        if let oauth = section.value("oauth"), let id = oauth.text("client-id"),
            let file = oauth.text("client-secret-file")
        {
            forge.oauth = .init(clientID: id, clientSecretFile: path(file))
        }
        return forge
    }

    private static func defaultAPI(_ kind: ForgeKind) -> String {
        switch kind {
        case .github: "https://api.github.com"
        case .gitlab: "https://gitlab.com/api/v4"
        case .gitea: ""
        }
    }

    private func credentials(_ state: String) -> CredentialsConfiguration {
        let section = node.value("credentials") ?? .map([])
        let backend = section.text("backend").flatMap { CredentialsConfiguration.Backend(rawValue: $0) } ?? .file
        var result = CredentialsConfiguration(
            backend: backend, keyFile: section.text("key-file").map(path) ?? "\(state)/credentials.key",
            directory: section.text("directory").map(path) ?? "\(state)/credentials")
        result.address = section.text("address").map(trimmed)
        result.mount = section.text("mount") ?? result.mount
        result.path = section.text("path") ?? result.path
        result.tokenFile = section.text("token-file").map(path)
        result.roleID = section.text("role-id")
        result.secretIDFile = section.text("secret-id-file").map(path)
        result.kubernetesRole = section.text("kubernetes-role")
        result.namespace = section.text("namespace")
        result.secret = section.text("secret") ?? result.secret
        return result
    }

    private func agents() -> [String: AgentProfile] {
        var profiles = ["default": AgentProfile(cli: "claude-code")]
        for entry in node.entries("agents") { profiles[entry.key] = agent(entry.value) }
        return profiles
    }

    private func agent(_ node: Node) -> AgentProfile {
        var profile = AgentProfile(cli: node.text("cli") ?? "claude-code")
        profile.template = node.text("template")
        let limits = node.value("limits")
        profile.cpus = limits?.text("cpus").flatMap { Quantity(cpus: $0) }
        profile.memory = limits?.text("memory").flatMap { Quantity(bytes: $0) }
        profile.disk = limits?.text("disk").flatMap { Quantity(bytes: $0) }
        profile.budget = node.text("budget-usd").flatMap { Double($0) }
        profile.maxParallel = node.integer("max-parallel")
        profile.timeout = node.span("timeout") ?? profile.timeout
        profile.allowsContainers = node.bool("allow-containers") ?? false
        return profile
    }

    private func project(_ node: Node) -> ProjectConfiguration {
        var project = ProjectConfiguration(repository: node.text("repository") ?? "")
        project.label = node.text("label") ?? project.label
        project.agent = node.text("agent") ?? project.agent
        project.maxParallel = node.integer("max-parallel")
        project.budget = node.text("budget-usd").flatMap { Double($0) }
        project.diskLimit = node.text("disk-limit").flatMap { Quantity(bytes: $0) }?.wholes
        project.allowedPaths = node.texts("allow-paths").map(\.value)
        project.routes = node.items("routes").map { route in
            IntakeRules.Route(
                agent: route.text("agent") ?? "default", paths: route.texts("paths").map(\.value),
                words: route.texts("words").map(\.value), labels: route.texts("labels").map(\.value))
        }
        return project
    }
}

extension Node {
    fileprivate func span(_ key: String) -> Int? { text(key).flatMap(spanSeconds) }
}
