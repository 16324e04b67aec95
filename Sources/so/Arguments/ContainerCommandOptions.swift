import ArgumentParser

/// What a command that runs in a container is given besides the container's own.
struct ContainerCommandOptions: ParsableArguments {
    @Option(name: [.short, .long], help: "The user to run as.")
    var user: String?

    @Option(name: [.short, .long], help: "The directory to run in.")
    var workdir: String?

    @Option(
        name: [.short, .long], help: ArgumentHelp("A variable: NAME=value, or NAME as you have it.", valueName: "NAME"))
    var env: [String] = []
}
