import OrderedCollections

/// Writes the Containerfile of a workspace: what the template says, then what the definition asks for, what changes least first.
struct ContainerfileText {
    /// The template's, or a FROM.
    var beginning: String
    var definition: WorkspaceDefinition
    var settings: UserSettings
    var user: PodUser
    var agent: AgentLayer

    /// In every workspace: work is done with git, and terminals are kept by tmux. Certificates are for the egress.
    static let packages = ["ca-certificates", "git", "tmux"]

    var text: String {
        var lines = [beginning.hasSuffix("\n") ? String(beginning.dropLast()) : beginning, "USER 0:0"]
        lines += [Self.install(packages)]
        for (name, version) in definition.languages { lines += self.language(name, version) }
        if programs.isEmpty == false { lines.append("ENV PATH=\(programs.joined(separator: ":")):$PATH") }
        for framework in definition.frameworks.compactMap({ Framework(rawValue: $0) }) {
            lines += framework.instructions(definition)
        }
        lines += owner + (definition.runsContainers ? containers : []) + agentLayer.instructions
        if agent.hasLoop { lines.append("COPY so-agent /usr/local/bin/so-agent") }
        if agent.hasProbe { lines.append("COPY so-egress /so/so-egress") }
        lines += [
            "USER \(user.user):\(user.group)", "WORKDIR /home/agent", "ENTRYPOINT []", "CMD [\"sleep\", \"infinity\"]",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private var agentLayer: AgentLayer {
        settings.agentImages[agent.agent].map { agent.copied(from: $0) } ?? agent
    }

    private var languages: [(language: Language, version: String)] {
        definition.languages.compactMap { name, version in Language.named(name).map { ($0, version) } }
    }

    private var programs: [String] { languages.flatMap(\.language.programs) }

    private var packages: [String] {
        let tools = definition.tools.compactMap { Tool.named($0) }.flatMap(\.packages)
        let frameworks = definition.frameworks.compactMap { Framework(rawValue: $0) }.flatMap(\.packages)
        let all = Self.packages + languages.flatMap(\.language.packages) + tools + frameworks + agent.packages
        return Array(OrderedSet(all)).sorted()
    }

    /// Images that have every package need no network, and those without apt-get may still have the programs.
    private static func install(_ packages: [String]) -> String {
        let names = packages.joined(separator: " ")
        return """
            RUN if dpkg -s \(names) >/dev/null 2>&1; then exit 0; fi; \\
                if command -v apt-get >/dev/null; then \\
                  apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \(names) && \\
                  rm -rf /var/lib/apt/lists/*; \\
                elif command -v apk >/dev/null; then apk add --no-cache \(Self.packages.joined(separator: " ")); \\
                else command -v git && command -v tmux || \\
                  { echo 'this image has neither apt-get nor apk, and lacks git or tmux' >&2; exit 1; }; fi
            """
    }

    private func language(_ name: String, _ version: String) -> [String] {
        guard let language = Language.named(name) else { return [] }
        var lines: [String] = []
        if let image = image(of: language, version) {
            lines += language.paths.map { "COPY --from=\(image) \($0)/ \($0)/" }
            if language.paths.contains("/usr/local") { lines.append("RUN ldconfig") }
        }
        return lines + language.environment.map { "ENV \($0.key)=\($0.value)" }
    }

    private func image(of language: Language, _ version: String) -> String? {
        if let own = settings.languageImages[language.name] { return own.replacing("{version}", with: version) }
        return language.image.map { settings.official($0.replacing("{version}", with: version)) }
    }

    /// The numbers of the project's owner get a name and a home; what the image calls them does not matter.
    private var owner: [String] {
        let (uid, gid) = (user.user, user.group)
        return [
            """
            RUN (getent group \(gid) || echo 'agent:x:\(gid):' >>/etc/group) >/dev/null && \\
                (getent passwd \(uid) || echo 'agent:x:\(uid):\(gid):agent:/home/agent:/bin/bash' >>/etc/passwd) >/dev/null && \\
                mkdir -p /home/agent && chown \(uid):\(gid) /home/agent
            """,
            "ENV HOME=/home/agent",
        ]
    }
}

extension ContainerfileText {
    /// What rootless podman needs in a pod: numbers for the users inside (file capabilities, for a setuid program would want more of the pod than these),
    /// no cgroups of its own, and the network of the pod, which leads to the egress.
    /// https://github.com/containers/podman/blob/main/docs/tutorials/rootless_tutorial.md
    private var containers: [String] {
        let first = user.user < 100_000 || user.user > 165_535 ? 100_000 : 200_000
        let range = "\(first):65536"
        return [
            """
            RUN name=$(getent passwd \(user.user) | cut -d: -f1) && \\
                for file in /etc/subuid /etc/subgid; do printf '%s:\(range)\\n' "$name" >$file; done && \\
                chmod u-s /usr/bin/newuidmap /usr/bin/newgidmap && \\
                /sbin/setcap cap_setuid+ep /usr/bin/newuidmap && /sbin/setcap cap_setgid+ep /usr/bin/newgidmap && \\
                mkdir -p /etc/containers && touch /etc/containers/nodocker && \\
                printf '[storage]\\ndriver = "overlay"\\n' >/etc/containers/storage.conf && \\
                printf 'unqualified-search-registries = ["docker.io"]\\n' >/etc/containers/registries.conf && \\
                printf '[engine]\\ncgroup_manager = "cgroupfs"\\nevents_logger = "file"\\nruntime = "crun"\\n[containers]\\ncgroups = "disabled"\\ncgroupns = "host"\\nnetns = "host"\\nlog_driver = "k8s-file"\\ndefault_ulimits = []\\n' >/etc/containers/containers.conf
            """
        ]
    }
}

extension Framework {
    var packages: [String] {
        switch self {
        case .playwright: []
        case .laravel: Language.named("php")?.packages ?? []
        }
    }

    /// https://playwright.dev/docs/browsers: browsers for all users, with the packages that they need.
    func instructions(_ definition: WorkspaceDefinition) -> [String] {
        switch self {
        case .laravel: []
        case .playwright where definition.languages["node"] != nil:
            [
                "ENV PLAYWRIGHT_BROWSERS_PATH=/opt/playwright",
                "RUN npx --yes playwright install --with-deps chromium && rm -rf /var/lib/apt/lists/*",
            ]
        case .playwright:
            [
                "ENV PLAYWRIGHT_BROWSERS_PATH=/opt/playwright",
                "RUN pip install --no-cache-dir playwright && playwright install --with-deps chromium && rm -rf /var/lib/apt/lists/*",
            ]
        }
    }
}

extension UserSettings {
    /// The name of an official image, of the mirror where there is one.
    package func official(_ image: String) -> String {
        registryMirror.map { "\($0.hasSuffix("/") ? String($0.dropLast()) : $0)/\(image)" }
            ?? "docker.io/library/\(image)"
    }
}
