package import ExternalTools
package import Stacks

/// How one image of a stack is built, decided before anything runs.
package struct ImageBuild: Hashable, Sendable {
    /// The image as the stack names it, such as `cerc/foundry`.
    package var image: String
    /// What the compose files name: `cerc/foundry:local`.
    package var tag: String
    package var command: Command

    /// What every build of a command line has in common.
    package struct Options: Hashable, Sendable {
        /// Build every layer anew.
        package var forceRebuild = false
        /// Arguments for the engine's build command, added to each build.
        package var extraArguments: [String] = []
        /// Where repositories are cloned; build scripts look for their sources there.
        package var repositoryBase: String

        package init(repositoryBase: String) {
            self.repositoryBase = repositoryBase
        }
    }

    /// Decides how a stack's images are built.
    ///
    /// A build.sh gets the engine, the tag and the extra arguments as `SO_CONTAINER_ENGINE`, `SO_CONTAINER_TAG` and
    /// `SO_EXTRA_BUILD_ARGS`, and the predecessor's `CERC_*` variables, so that its scripts run as they are.
    /// - Throws: ``DeploymentError`` (`missing`) for an image without a build.
    package init(_ build: ContainerBuild, podman: Podman, options: Options) throws(DeploymentError) {
        image = build.image
        tag = build.image.contains(":") ? build.image : "\(build.image):local"
        switch build.recipe {
        case .script(let path):
            command = Self.script(path, tag: tag, podman: podman, options: options)
        case .containerfile(let path):
            let arguments =
                ["build"] + (options.forceRebuild ? ["--no-cache"] : []) + options.extraArguments
                + ["-t", tag, "-f", path, Files.parent(of: path)]
            command = podman.command(arguments)
        case nil:
            throw DeploymentError(
                .missing, "\(build.mark): the image \(build.image) has no build",
                mend: "add container-build/\(build.image.replacing("/", with: "-"))/Containerfile or build.sh")
        }
    }

    private static func script(_ path: String, tag: String, podman: Podman, options: Options) -> Command {
        let extra = ((options.forceRebuild ? ["--no-cache"] : []) + options.extraArguments).joined(separator: " ")
        var environment = podman.environment
        environment["SO_CONTAINER_ENGINE"] = "podman"
        environment["SO_CONTAINER_TAG"] = tag
        environment["SO_EXTRA_BUILD_ARGS"] = extra
        environment["SO_REPO_BASE_DIR"] = options.repositoryBase
        environment["CERC_REPO_BASE_DIR"] = options.repositoryBase
        environment["CERC_CONTAINER_BASE_DIR"] = Files.parent(of: Files.parent(of: path))
        environment["CERC_CONTAINER_EXTRA_BUILD_ARGS"] = extra
        return Command(path, [], environment: environment, workingDirectory: Files.parent(of: path))
    }

    /// Builds the image; each line of output goes to `note`.
    ///
    /// - Throws: ``DeploymentError`` (`failed`) with the build's last lines.
    package func run(note: @escaping @Sendable (String) -> Void) async throws {
        let tail = LineTail(limit: 40)
        let status: Int
        do {
            status = try await command.lines { _, line throws(CommandFailure) in
                await tail.append(line)
                note(line)
            }
        } catch {
            if error.code == .cancelled { throw error }
            throw DeploymentError(
                .unavailable, "the build of \(image) could not run", cause: error.description,
                mend: "is \(command.program) there, and executable?")
        }
        guard status == 0 else {
            let lines = await tail.lines.map { "\n  | \($0)" }.joined()
            throw DeploymentError(
                .failed, "the build of \(image) ended with exit code \(status)\(lines)\n  command: \(command)")
        }
    }
}
