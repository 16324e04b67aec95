import ArgumentParser

/// What a command that runs in a container is given besides the container's own.
struct ContainerCommandOptions: ParsableArguments {
    @Option(name: [.short, .long], help: "The user to run as.")
    var user: String?

    @Option(name: [.short, .long], help: "The working directory of the command.")
    var workdir: String?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Set a variable: NAME=value, or NAME to pass your own value on.", valueName: "NAME"))
    var env: [String] = []
}
