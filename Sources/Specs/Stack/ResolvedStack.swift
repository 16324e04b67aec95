package import OrderedCollections
package import YAML

/// A stack with the place of everything that its `stack.yml` names.
package struct ResolvedStack: Hashable, Sendable {
    /// Where the stack was found.
    package enum Source: Hashable, Sendable {
        /// Shipped with `so`.
        case builtIn
        /// A directory that the user named.
        case external
        /// A repository below the repositories' base directory, as `host/org/repo`.
        case fetched(String)
        /// The files of a deployment directory.
        case deployment
    }

    /// The name of the stack's directory: what labels and the namespace use.
    package var name: String
    /// The directory of stack.yml; absolute.
    package var directory: String
    /// The directory that holds compose/, config/ and compose-jobs/; absolute.
    package var root: String
    /// The root of the built-in stacks, where files are looked up that the stack's own root lacks; nil if it is this root or absent.
    package var fallbackRoot: String?
    package var source: Source
    package var file: StackFile
    package var pods: [ResolvedPod] = []
    package var jobs: [ResolvedJob] = []
    /// The executables of hooks/, by occasion.
    package var hooks: OrderedDictionary<StackHook, String> = [:]
    package var containers: [ContainerBuild] = []
    /// The names of the stacks that belong to this one, in the order in which they are listed.
    package var parts: [String] = []
    package var partHooks: [PartHook] = []
    /// The roots of those stacks, where they differ from this one's.
    package var partRoots: [String] = []
    /// Files that are missing or must not be used (errors), and what is there but not used (warnings). A stack with errors
    /// can have its repositories fetched, but not be deployed.
    package var problems: [Diagnostic] = []

    package init(name: String, directory: String, root: String, source: Source, file: StackFile) {
        self.name = name
        self.directory = directory
        self.root = root
        self.source = source
        self.file = file
    }
}

/// A pod of a stack with its files.
package struct ResolvedPod: Hashable, Sendable {
    package var name: String
    /// Absolute; nil if it is missing, which ``ResolvedStack/problems`` says.
    package var composeFile: String?
    /// The directory that the pod's relative paths must not leave: the clone of its repository; nil: the stack's roots.
    package var repositoryDirectory: String?
    /// config/<pod>/ of the stack's root or of the built-in one, if there is one; absolute.
    package var configDirectory: String?
    package var colocate: Bool
    /// The stack of `stacks` that brought the pod; nil: it is this stack's own.
    package var part: String?
    /// Absolute paths of the scripts.
    package var preStartCommand: String?
    package var postStartCommand: String?
    /// The place in stack.yml.
    package var mark: Mark

    package init(name: String, composeFile: String?, colocate: Bool = false, mark: Mark = .generated) {
        self.name = name
        self.composeFile = composeFile
        self.colocate = colocate
        self.mark = mark
    }
}

/// A job of a stack with its compose file.
package struct ResolvedJob: Hashable, Sendable {
    package var name: String
    /// Absolute; nil if it is missing, which ``ResolvedStack/problems`` says.
    package var composeFile: String?
    package var mark: Mark

    package init(name: String, composeFile: String?, mark: Mark = .generated) {
        self.name = name
        self.composeFile = composeFile
        self.mark = mark
    }
}

/// When a hook runs.
package enum StackHook: String, Hashable, Sendable, CaseIterable {
    /// Prints a spec fragment for `deploy init`.
    case initialize = "init"
    /// For `deploy setup`.
    case setup
    case create
    case start
    case stop
}

/// How an image of `containers` is built.
package struct ContainerBuild: Hashable, Sendable {
    /// What builds the image.
    package enum Recipe: Hashable, Sendable {
        /// An executable build.sh; absolute.
        case script(String)
        /// A Containerfile or Dockerfile; absolute.
        case containerfile(String)
    }

    /// The image's name, such as `cerc/foundry`.
    package var image: String
    /// container-build/<name with - for />; absolute; nil if there is none.
    package var directory: String?
    /// nil: the repository of the same name is built as it stands.
    package var recipe: Recipe?
    package var mark: Mark

    package init(image: String, directory: String? = nil, recipe: Recipe? = nil, mark: Mark = .generated) {
        self.image = image
        self.directory = directory
        self.recipe = recipe
        self.mark = mark
    }
}

/// A hook of a stack that belongs to another one.
package struct PartHook: Hashable, Sendable {
    package var stack: String
    package var occasion: StackHook
    /// Absolute.
    package var path: String

    package init(stack: String, occasion: StackHook, path: String) {
        self.stack = stack
        self.occasion = occasion
        self.path = path
    }
}

extension ResolvedStack {
    /// The hooks of an occasion in the order in which they run: those of the stacks that belong to this one first, and last when it stops.
    package func hookPaths(_ occasion: StackHook) -> [String] {
        let parts = partHooks.filter { $0.occasion == occasion }.map(\.path)
        let own = hooks[occasion].map { [$0] } ?? []
        return occasion == .stop ? own + parts.reversed() : parts + own
    }

    /// Where the stack's files may stand: its own root, those of the stacks that belong to it, and the built-in one.
    package var allRoots: [String] { [root] + partRoots + (fallbackRoot.map { [$0] } ?? []) }
}
