import ArgumentParser
import Workspaces

/// The project that a command is about.
struct ProjectDirectory: ParsableArguments {
    @Option(
        name: [.customShort("C"), .customLong("project")],
        help: "The project's directory (default: the one that you are in).")
    var directory: String?

    var project: Project {
        get throws { try Project(directory ?? Host.workingDirectory) }
    }
}
