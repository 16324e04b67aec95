import ArgumentParser
import Compose
import Runtimes

/// The compose project that a command is about, named as docker compose takes it. Before the verb, `-f` and `-p` are short for the first two:
/// see ``ArgumentOrder``.
struct ProjectOptions: ParsableArguments {
    @Option(
        name: .customLong("file"),
        help: "A compose file, or - for standard input; repeat it to merge more (before the verb: -f).")
    var files: [String] = []

    @Option(help: "The project's name (before the verb: -p).")
    var projectName: String?

    @Option(help: "Where relative paths start (default: the first file's directory).")
    var projectDirectory: String?

    @Option(help: "Activate a profile; repeat it for more.")
    var profile: [String] = []

    @Option(help: "An env file instead of .env; repeat it for more.")
    var envFile: [String] = []

    /// docker compose's options of the same names, which change nothing here: docs/compose-differences.md.
    @OptionGroup var without: OptionsWithoutEffect

    /// Finds the project: by these options, by COMPOSE_FILE and its kin, or by the files of this directory and those above.
    ///
    /// - Throws: `DeploymentError` (`missing`) where there is none.
    func find() throws -> (project: FoundProject, tree: FileTree) {
        let (request, tree) = try request()
        guard let found = findProject(request, tree: tree) else {
            throw DeploymentError(
                .missing, "no compose file in \(Host.workingDirectory), nor in a directory above it",
                hint: "go to where compose.yaml is, or name a file with -f")
        }
        return (found, tree)
    }

    /// What is looked for, and where standard input and pipes stand among the files.
    func request() throws -> (request: ProjectRequest, tree: FileTree) {
        let input = try PipedInput(files)
        var request = ProjectRequest(environment: Host.environment, workingDirectory: Host.workingDirectory)
        request.files = input.files
        request.directory = projectDirectory
        request.name = projectName
        request.profiles = profile
        request.envFiles = envFile
        return (request, input.tree)
    }
}
