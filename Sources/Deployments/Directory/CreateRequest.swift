package import Compose
package import Specs

/// What `deploy create` is given.
package struct CreateRequest: Sendable {
    package var stack: ResolvedStack
    package var spec: Spec
    /// The spec file's bytes: the deployment keeps them as they were written, comments too.
    package var specText: [UInt8]
    /// Where the deployment goes; absolute.
    package var directory: String
    /// The commit of the stack's source, where it is a git checkout.
    package var stackCommit: String?
    /// Where the stack came from: a locator or an absolute path.
    package var stackSource: String
    package var toolVersion: String
    /// What the host brings into layering.
    package var options: LayerOptions
    /// Arguments that the stack's `create` hook gets.
    package var hookArguments: [String] = []
    /// What a `create` function of Python gets before them.
    package var networkDirectory: String?
    package var initialPeers: String?
    /// Whether a compose key without an equivalent is an error.
    package var isStrict = false
    /// Whether the directory gets a Helm chart of the deployment, in `chart/`.
    package var makesHelmChart = false
    /// Whose deployment it is; nil: one that has no identity yet gets it when it is made.
    package var identity: Identity?
    package var tree: FileTree = .disk

    package init(
        stack: ResolvedStack, spec: Spec, specText: [UInt8], directory: String, stackSource: String,
        toolVersion: String, options: LayerOptions
    ) {
        self.stack = stack
        self.spec = spec
        self.specText = specText
        self.directory = directory
        self.stackSource = stackSource
        self.toolVersion = toolVersion
        self.options = options
    }
}

/// One file or directory of a deployment, decided before anything is written.
package struct DeploymentFile: Hashable, Sendable {
    /// Where the content comes from.
    package enum Content: Hashable, Sendable {
        case bytes([UInt8])
        /// A file of the stack or of the operator; absolute.
        case copy(String)
    }

    /// Relative to the deployment directory.
    package var path: String
    package var content: Content
    /// The permission bits; nil takes those of the copied file.
    package var mode: UInt32?
    /// For a seed: whether updates bring new versions of it where nobody changed what stands there.
    package var followsStack = false

    package init(path: String, content: Content, mode: UInt32? = nil) {
        self.path = path
        self.content = content
        self.mode = mode
    }
}

/// Everything that a create writes: a value, so that `--dry-run` can print it.
package struct DirectoryContents: Hashable, Sendable {
    package var files: [DeploymentFile] = []
    /// Empty directories to make: the volumes' data and the ConfigMaps' sources.
    package var directories: [String] = []
    /// Files that only the first create writes, because the services or the operator own them from then on.
    package var seeds: [DeploymentFile] = []
    /// Directories that an update never writes to or removes from, besides `data/`: volumes, ConfigMaps' sources, writable binds.
    package var owned: Set<String> = []
    /// What config.env would be without the lines that were changed in it: what the next reader compares it with.
    package var specConfigEnv = ""
    /// Copies of the operator's own files (credentials, certificates), by the path that the spec leads to.
    package var inputs: [String: String] = [:]
}
