package import OrderedCollections
package import Specs
package import YAML

/// What a user has settled for all projects: `so settings`, kept in `~/.config/so/settings.yml`.
package struct UserSettings: Sendable {
    /// The image that built-in templates begin with.
    package var baseImage: String?
    /// Put before the names of official images instead of docker.io/library, such as `registry.example.com/mirror`.
    package var registryMirror: String?
    /// By language: the image to copy it from; `{version}` stands for the version.
    package var languageImages: OrderedDictionary<String, String> = [:]
    /// By agent: an image that holds its CLI, copied instead of installed.
    package var agentImages: OrderedDictionary<String, String> = [:]
    /// By database: the image of the companion; `{version}` stands for the version.
    package var databaseImages: OrderedDictionary<String, String> = [:]
    /// Where sessions run.
    package var runtime = SessionRuntime()
    /// Whether ports answer by their names alone too, through this host's proxy of routes.
    package var routes = false
    /// The image of that proxy; nil: the one that deployments use.
    package var routesImage: String?
    /// A file of certificate authorities that are trusted besides the host's; absolute.
    package var certificateAuthority: String?
    /// What builds of projects' own images reach.
    package var buildNetwork = BuildReach.egress
    /// Where credentials are that neither the environment nor `so auth login` has; nil: nowhere.
    package var vault: VaultPlace?
    /// Variables of templates, such as GIT_NAME.
    package var variables: OrderedDictionary<String, Located<String>> = [:]
    /// Keys of workspace.yml that are the user's taste, never what a project needs.
    package var definition: DefinitionDocument?
    /// The file's content.
    package private(set) var node = Node.map([])

    package init() {}

    /// - Parameter diagnostics: receives every key that is unknown and every value that does not fit.
    package init(_ node: Node, diagnostics: inout Diagnostics) {
        self.node = node
        var validation = Validation()
        validation.check(node, .settings, at: "")
        diagnostics.append(contentsOf: validation.diagnostics.list)
        baseImage = node.text("base-image")
        registryMirror = node.text("registry-mirror")
        languageImages = node.texts(under: "language-images")
        agentImages = node.texts(under: "agent-images")
        databaseImages = node.texts(under: "database-images")
        runtime = SessionRuntime(
            node.text("deploy-to").flatMap { DeploymentTarget(rawValue: $0) } ?? .podman,
            kubeconfig: node.text("kube-config"), imageRegistry: node.text("image-registry"))
        routes = node.value("routes")?.boolValue ?? false
        routesImage = node.text("caddy-ingress-image")
        certificateAuthority = node.text("certificate-authority")
        buildNetwork = node.text("build-network").flatMap { BuildReach(rawValue: $0) } ?? .egress
        vault = node.value("vault").flatMap(VaultPlace.init)
        variables = node.textMap("variables")
        if let section = node.value("workspace") {
            definition = DefinitionDocument(section, layer: .settings, diagnostics: &diagnostics)
        }
    }
}

/// What builds of projects' own images reach.
package enum BuildReach: String, Hashable, Sendable, CaseIterable {
    /// What their sessions reach.
    case egress
    /// All that this host reaches.
    case host
}

extension Node {
    fileprivate func texts(under key: String) -> OrderedDictionary<String, String> { textMap(key).mapValues(\.value) }
}

extension Shape {
    /// The keys of settings.yml.
    package static let settings = Shape.fields([
        Field("base-image", .checked(.nonEmpty), "the image that built-in templates begin with"),
        Field("registry-mirror", .checked(.nonEmpty), "stands for docker.io/library in the names of official images"),
        Field(
            "language-images", .mapping(.language, .checked(.nonEmpty)),
            "images that languages are copied from; {version} stands for the version"),
        Field("agent-images", .mapping(.label, .checked(.nonEmpty)), "images that hold the CLI of an agent"),
        Field(
            "database-images", .mapping(.database, .checked(.nonEmpty)),
            "images of databases; {version} stands for the version"),
        Field("deploy-to", .checked(.oneOf(SessionRuntime.names)), "where sessions run; podman by default"),
        Field("kube-config", .checked(.absolutePath), "the kubeconfig of the cluster that sessions run on"),
        Field("image-registry", .checked(.nonEmpty), "where a cluster's nodes get images that are built here"),
        Field(
            "routes", .bool,
            "whether ports answer at http://PROJECT-SESSION.localhost too, by this host's proxy of routes"),
        Field("caddy-ingress-image", .checked(.nonEmpty), "the image of that proxy"),
        Field(
            "certificate-authority", .checked(.absolutePath),
            "a PEM file of authorities that are trusted besides the host's, such as that of a git server of your own"),
        Field(
            "build-network", .checked(.oneOf(BuildReach.allCases.map(\.rawValue))),
            "what builds of projects' own images reach: egress, what their sessions reach, by default; host, all that this host reaches"
        ),
        Field(
            "vault",
            .fields([
                Field("address", .checked(.nonEmpty), required: true, "the address of the server"),
                Field("mount", .checked(.name), "the mount of the KV version 2 engine; secret by default"),
                Field("path", .checked(.innerPath), "the path below the mount; so by default"),
                Field("token-file", .checked(.absolutePath), "the file that holds a token"),
                Field("role-id", .checked(.nonEmpty), "the role of AppRole"),
                Field("secret-id-file", .checked(.absolutePath), "the file that holds the secret id of AppRole"),
            ]), "HashiCorp Vault or OpenBao with the credentials of providers, each by the name of its variable"),
        Field("variables", .mapping(.variable, .text), "variables of templates, such as GIT_NAME"),
        Field("workspace", personal, "keys of workspace.yml for all projects"),
    ])

    /// The keys of workspace.yml that are a matter of taste.
    private static let personal: Shape = {
        guard case .fields(let all, _) = Shape.workspace else { return .any }
        let names = [
            "template", "agent", "tools", "on-exit", "keep-running", "idle-timeout", "resources", "budget",
            "environment",
            "runtime-class", "cache",
        ]
        return .fields(all.filter { names.contains($0.name) })
    }()
}
