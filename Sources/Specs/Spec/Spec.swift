package import OrderedCollections
package import YAML

/// A `spec.yml`: what an operator decides about one deployment of a stack.
///
/// Every key of the format has a field. Absent and null sections are nil or empty.
package struct Spec: Hashable, Sendable {
    /// The file's name, as diagnostics show it.
    package var file: String
    /// The absolute directory that the spec's relative files (credentials, ca-certificates, kube-config) start from.
    package var directory: String
    /// The place of every key, dotted (`network.acme-email`, `resources.containers.db.limits`).
    package var keys: [String: Mark] = [:]

    /// The stack's name or path.
    package var stack: String?
    package var deployTo: DeploymentTarget?
    package var namespace: String?
    /// Values for interpolation and of equally named environment keys; each scalar's text as it was written, null empty.
    package var config: OrderedDictionary<String, Located<String>> = [:]
    package var configScope: ConfigScope = .declared
    /// The names that are read from the operator's environment.
    package var envFromHost: [Located<String>] = []
    /// Paths as written; ``path(_:)`` makes them absolute.
    package var credentialsFiles: [Located<String>] = []
    /// Files and directories outside of the stack that its compose files may name, as written.
    package var allowedPaths: [Located<String>] = []
    /// A compose fragment, merged over the stack's compose files; `pods` in it is taken out into ``colocation``.
    package var overrides: Node?
    /// Whether a pod's services share one pod, as `overrides.pods` says; by the pod's name.
    package var colocation: OrderedDictionary<String, Located<Bool>> = [:]

    package var network = SpecNetwork()
    /// By the volume's name: a directory of the host, or nil for a volume of the runtime's own making.
    package var volumes: OrderedDictionary<String, Located<String?>> = [:]
    /// By the volume's name: the directory whose files a ConfigMap holds; relative to the deployment directory.
    package var configmaps: OrderedDictionary<String, Located<String>> = [:]
    /// By the name of a Secret that must exist already: the keys to expect.
    package var secrets: OrderedDictionary<String, Located<[String]>> = [:]
    package var resources = SpecResources()
    package var security = SpecSecurity()
    /// Of every pod; `{name}` stands for the service.
    package var annotations: OrderedDictionary<String, Located<String>> = [:]
    package var labels: OrderedDictionary<String, Located<String>> = [:]
    package var replicas = SpecReplicas()
    package var nodeAffinities: [NodeLabelRule] = []
    package var nodeTolerations: [NodeToleration] = []

    /// A path as written.
    package var kubeConfig: Located<String>?
    package var imageRegistry: String?
    package var imagePullSecret: ImagePullSecret?
    package var imagePullPolicy: ImagePullPolicy?
    /// By the service's name.
    package var imageOverrides: OrderedDictionary<String, Located<String>> = [:]
    package var kindClusterName: String?
    /// Of the node of a kind cluster that is made for the deployment; nil: kind's own.
    package var kindNodeImage: String?
    /// An absolute directory of the host that every volume path stands under.
    package var kindMountRoot: String?
    package var caddyIngressImage: String?
    package var maintenanceService: Located<RouteTarget>?
    package var externalServices: OrderedDictionary<String, ExternalService> = [:]
    /// Paths as written; ``path(_:)`` makes them absolute.
    package var caCertificates: [Located<String>] = []
    /// The `x-…` keys.
    package var extensions: OrderedDictionary<String, Node> = [:]

    package init(file: String = Mark.generated.file, directory: String = "/") {
        self.file = file
        self.directory = directory
    }

    /// The place of a key, or the file if the key is absent.
    package func mark(of key: String) -> Mark { keys[key] ?? Mark(file: file) }
}

/// Where a deployment runs.
package enum DeploymentTarget: String, Hashable, Sendable, CaseIterable {
    case kind = "k8s-kind"
    case kubernetes = "k8s"
    /// `compose` means this one too.
    case podman
}

/// Which services a variable of `config` reaches.
package enum ConfigScope: String, Hashable, Sendable, CaseIterable {
    /// Those that declare it in their environment or refer to it.
    case declared
    /// Every one, as stack-orchestrator had it in clusters.
    case all
    /// Those that refer to it, and no other: an equally named key keeps what compose says, as stack-orchestrator had it without a cluster.
    case interpolation
}

/// When an image is pulled.
package enum ImagePullPolicy: String, Hashable, Sendable, CaseIterable {
    case always = "Always"
    case ifNotPresent = "IfNotPresent"
    case never = "Never"
}

/// The login of an image registry.
package struct ImagePullSecret: Hashable, Sendable {
    package var server: String
    package var username: String
    /// The variable of the operator's environment that holds the token.
    package var tokenEnv: String?
    /// The file that holds the token, as written.
    package var tokenFile: String?
    package var mark: Mark

    package init(server: String, username: String, tokenEnv: String? = nil, tokenFile: String? = nil, mark: Mark) {
        self.server = server
        self.username = username
        self.tokenEnv = tokenEnv
        self.tokenFile = tokenFile
        self.mark = mark
    }
}
