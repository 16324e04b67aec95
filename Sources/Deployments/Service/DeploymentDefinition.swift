package import Compose
package import Rendering
package import Specs

/// A deployment as values: as good as one in a directory, on every runtime.
///
/// Nothing here is looked up elsewhere: no environment, no working directory, no file that ``Content`` does not hold.
package struct DeploymentDefinition: Sendable {
    /// What runs.
    package enum Content: Sendable {
        /// Compose files by their absolute paths in the tree, later ones merged over earlier ones. They and all that they name
        /// (`env_file`, `configs`, relative binds) are read from this tree alone.
        case compose(files: [String], tree: FileTree)
        /// A project that is loaded and layered already, and the tree that its files are read from.
        case project(LayeredProject, tree: FileTree)
        /// Objects that are rendered already.
        case rendered(RenderedDeployment)
        /// Nothing: good for stopping what another process has started, by its labels.
        case nothing
    }

    /// The value of `app.kubernetes.io/instance` and of podman's labels: unique on the host, and valid as a label. It stays for the
    /// deployment's life.
    package var id: String
    /// The stack's name, of which the namespace is made where the spec has none.
    package var name: String
    /// Whose it is, in words that a user understands.
    package var owner: String
    package var content: Content
    /// Who finds it again by its labels where its record is lost; valid as a label's value. Nil: nobody looks for it.
    package var keeper: String?
    /// All that a spec.yml can say; ``Spec/deployTo`` chooses the runtime, podman where it is nil. Its relative paths are not used.
    package var spec: Spec
    /// The values of secret variables by name: `${TOKEN}` in a compose file, `environment: TOKEN` of a compose secret. They are kept as
    /// those of every deployment: in podman's store or the cluster's, never in a file of ours.
    package var secrets: [String: String] = [:]
    /// Absolute; the deployment's own, made with mode 0700. It is to be the same as long as the deployment lives: its lock, the generated
    /// secrets and the key of the fingerprints stand in it.
    package var stateDirectory: String
    /// Paths of this host that pods may mount, with all below them; absolute. Nothing else of the host is mounted.
    package var allowedPaths: [String] = []
    /// On clusters (on kind, where the spec names a registry): where images are that were pushed, by the name that the compose files have for them. The others are named as they are.
    package var images: [String: String] = [:]
    /// The kubeconfig of `k8s`; nil: the one that the environment names.
    package var kubeconfig: String?

    package init(
        id: String, name: String, owner: String, content: Content, spec: Spec = Spec(), stateDirectory: String
    ) {
        self.id = id
        self.name = name
        self.owner = owner
        self.content = content
        self.spec = spec
        self.stateDirectory = stateDirectory
    }

    /// What is left of a deployment of which nothing is known but its labels.
    package init(leftOf id: String, owner: String, spec: Spec = Spec(), stateDirectory: String) {
        self.init(id: id, name: id, owner: owner, content: .nothing, spec: spec, stateDirectory: stateDirectory)
    }

    /// A deployment of one compose file, and of files that it names by paths relative to it.
    package init(
        id: String, name: String, owner: String, compose: String, files: [String: [UInt8]] = [:], spec: Spec = Spec(),
        stateDirectory: String
    ) {
        let root = "/memory/\(name)"
        var all = [root + "/compose.yml": Array(compose.utf8)]
        for (path, bytes) in files { all["\(root)/\(path)"] = bytes }
        self.init(
            id: id, name: name, owner: owner, content: .compose(files: [root + "/compose.yml"], tree: .memory(all)),
            spec: spec, stateDirectory: stateDirectory)
    }
}
