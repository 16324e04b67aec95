import Compose
package import ExternalTools
import Glibc
package import Runtimes
package import Specs

/// How one image of a stack is built, decided before anything runs.
package struct ImageBuild: Hashable, Sendable {
    /// The image as the stack names it, such as `cerc/foundry`, or as its service does.
    package var image: String
    /// What the compose files name: `cerc/foundry:local`.
    package var tag: String
    package var command: Command
    /// The images that it is known to build on.
    package var bases: [String] = []
    /// Whether it may build on any image before it: what a script does, nobody knows.
    package var isScript = false

    /// What every build of a command line has in common.
    package struct Options: Sendable {
        /// Build every layer again.
        package var forceRebuild = false
        /// Arguments for the engine's build command, added to each build.
        package var extraArguments: [String] = []
        /// Where repositories are cloned.
        package var repositoryBase: String
        package var engine: ImageEngine
        package var workspace: BuildWorkspace
        /// Whether build scripts are to trace what they do.
        package var isDebugging = false
        /// The PATH of build scripts, behind the programs of the workspace.
        package var searchPath = "/usr/local/bin:/usr/bin:/bin"

        package init(repositoryBase: String, engine: ImageEngine, workspace: BuildWorkspace) {
            self.repositoryBase = repositoryBase
            self.engine = engine
            self.workspace = workspace
        }
    }

    package init(image: String, tag: String, command: Command) {
        self.image = image
        self.tag = tag
        self.command = command
    }

    /// Decides how an image of `containers` is built: by its build.sh, else its Containerfile or Dockerfile, else from the repository of its
    /// name as it stands.
    ///
    /// A build.sh gets the engine, the tag and the extra arguments as `SO_CONTAINER_ENGINE`, `SO_CONTAINER_TAG` and
    /// `SO_EXTRA_BUILD_ARGS`, and stack-orchestrator's `CERC_*` variables, so that its scripts run as they are.
    /// - Throws: ``DeploymentError`` (`missing`) for an image without a build.
    package init(_ build: ContainerBuild, options: Options) throws(DeploymentError) {
        let tag = build.image.contains(":") ? build.image : "\(build.image):local"
        switch build.recipe ?? Self.repositoryRecipe(build.image, options) {
        case .script(let path):
            self.init(image: build.image, tag: tag, command: Self.script(path, tag: tag, options: options))
            isScript = true
        case .containerfile(let path):
            let arguments =
                ["build"] + (options.forceRebuild ? ["--no-cache"] : []) + options.extraArguments
                + ["-t", tag, "-f", path, Files.parent(of: path)]
            self.init(image: build.image, tag: tag, command: options.engine.command(arguments))
            bases = Self.bases(path, arguments: [:])
        case nil:
            throw DeploymentError(
                .missing, "\(build.mark): the image \(build.image) has no build",
                hint: "add container-build/\(build.image.replacing("/", with: "-"))/Containerfile or build.sh, "
                    + "or clone the repository that has one: so setup-repositories")
        }
    }

    /// The Containerfile of the clone that is called as the image is.
    private static func repositoryRecipe(_ image: String, _ options: Options) -> ContainerBuild.Recipe? {
        let name = image.split(separator: "/").last.map(String.init) ?? image
        let clone = "\(options.workspace.repositories)/\(name)"
        return ["Containerfile", "Dockerfile"].map { "\(clone)/\($0)" }.first { Files.exists($0) }.map {
            .containerfile($0)
        }
    }

    static func bases(_ file: String, arguments: [String: String]) -> [String] {
        guard let bytes = try? Files.read(file) else { return [] }
        return ContainerfileImages(String(decoding: bytes, as: UTF8.self), arguments: arguments).references
    }

    private static func script(_ path: String, tag: String, options: Options) -> Command {
        let extra = options.extraArguments.joined(separator: " ")
        var environment = options.engine.environment
        environment["SO_CONTAINER_ENGINE"] = options.engine.kind.rawValue
        environment["SO_CONTAINER_TAG"] = tag
        environment["SO_EXTRA_BUILD_ARGS"] = ((options.forceRebuild ? ["--no-cache"] : []) + options.extraArguments)
            .joined(separator: " ")
        environment["SO_REPO_BASE_DIR"] = options.repositoryBase
        environment["CERC_REPO_BASE_DIR"] = options.workspace.repositories
        environment["CERC_CONTAINER_BASE_DIR"] = options.workspace.containers
        environment["CERC_DEFAULT_CONTAINER_IMAGE_TAG"] = tag
        environment["CERC_CONTAINER_EXTRA_BUILD_ARGS"] = extra
        environment["CERC_HOST_UID"] = "\(getuid())"
        environment["CERC_HOST_GID"] = "\(getgid())"
        if options.forceRebuild { environment["CERC_FORCE_REBUILD"] = "true" }
        if options.isDebugging { environment["CERC_SCRIPT_DEBUG"] = "true" }
        environment["PATH"] = "\(options.workspace.programs):\(options.searchPath)"
        return Command(
            path, [], host: options.engine.host, environment: environment, workingDirectory: Files.parent(of: path))
    }
}
