package import OrderedCollections
package import YAML

/// What a workspace is made of: all layers of its definition in one, each value with the layer that decided it.
package struct WorkspaceDefinition: Hashable, Sendable {
    /// What its image begins with.
    package var source: ImageSource = .template("default")
    /// By the language's name, such as `python`: its version, such as `3.12`.
    package var languages: OrderedDictionary<String, String> = [:]
    package var tools: [String] = []
    /// Whether containers are to run inside.
    package var runsContainers: Bool { tools.contains { Tool.named($0)?.name == "podman" } }
    package var databases: [Database] = []
    package var frameworks: [String] = []
    /// The name of an agent's declaration.
    package var agent = "claude-code"
    package var compose = ComposeChoice()
    /// Ports of the agent's pod that get a URL.
    package var ports: [Int] = []
    /// Shell commands, run in the checkout once, and again when their inputs change.
    package var setup: [String] = []
    /// Values may hold `$generate:…$`.
    package var environment: OrderedDictionary<String, String> = [:]
    /// Names of the host's environment that become secrets of the pod.
    package var pass: [String] = []
    /// Ignored files of the project that a clone gets too, as paths relative to it.
    package var copy: [String] = []
    package var egress = EgressChoice()
    package var budget = Budget()
    package var resources = WorkspaceResources()
    /// What becomes of a session's work; nil: asked at the terminal, kept without one.
    package var onExit: ExitPolicy?
    /// Whether a lasting workspace goes on when the last terminal leaves it.
    package var keepsRunning = false
    /// Seconds without work after which the pod ends; nil: never.
    package var idleTimeout: Int?
    /// The numbers that processes of the pod run as; nil: those of the project's owner.
    package var user: PodUser?
    /// The RuntimeClass of the pods, such as gvisor.
    package var runtimeClass: String?
    /// Whether the packages' cache is shared among the project's sessions.
    package var sharesCache = false
    /// By dotted path, such as `languages.python`: who decided it, and where.
    package var origins: [String: ValueOrigin] = [:]

    package init() {}

    package func origin(of path: String) -> ValueOrigin {
        origins[path] ?? ValueOrigin(layer: .builtIn)
    }
}

/// Who decides a value of a definition, the weakest first.
package enum DefinitionLayer: String, Hashable, Sendable, CaseIterable {
    case builtIn = "default"
    case template
    case devcontainer = "devcontainer.json"
    case workspace = "workspace.yml"
    case settings = "user settings"
    case flag
}

/// The layer of a value, and where it stands.
package struct ValueOrigin: Hashable, Sendable {
    package var layer: DefinitionLayer
    package var mark: Mark

    package init(layer: DefinitionLayer, mark: Mark = .generated) {
        self.layer = layer
        self.mark = mark
    }
}

/// What an image of a workspace begins with.
package enum ImageSource: Hashable, Sendable {
    /// A template's name.
    case template(String)
    /// An image as it stands, on which the agent and the user are laid.
    case image(String)
    /// A Containerfile of the project.
    case build(ProjectBuild)
}

/// `build:` as compose has it, as far as a workspace needs it. Paths are relative to the project.
package struct ProjectBuild: Hashable, Sendable {
    package var context: String
    package var containerfile: String?
    package var target: String?
    package var arguments: OrderedDictionary<String, String>

    package init(
        context: String = ".", containerfile: String? = nil, target: String? = nil,
        arguments: OrderedDictionary<String, String> = [:]
    ) {
        self.context = context
        self.containerfile = containerfile
        self.target = target
        self.arguments = arguments
    }
}
