import ArgumentParser

/// `so exec`.
struct Exec: ProjectVerb, PassingThrough {
    static let configuration = CommandConfiguration(
        commandName: "exec", abstract: "Run a command in a running service; its exit code is passed on.",
        usage: "so exec [-T] [--user <user>] [--env <NAME=value>] <service> <command> ...",
        discussion: "It gets a terminal where you have one.")

    static let valueOptions = DeploymentExec.valueOptions.union(projectValueOptions)

    @OptionGroup var place: PlaceOptions
    @OptionGroup var settings: ExecOptions
    @OptionGroup var terminal: TerminalOptions
    @OptionGroup var global: GlobalOptions

    @Flag(name: [.short, .long], help: "Leave the command running in the background.")
    var detach = false

    @Flag(help: "Give the command all of the host's capabilities.")
    var privileged = false

    @Argument(help: "The service.")
    var service: String

    @Argument(parsing: .captureForPassthrough, help: "The command with its arguments.")
    var command: [String]

    func run() async throws {
        try await settings.run(
            service, command, in: place.existing(naming: [service]), interactive: !detach,
            tty: terminal.isWanted && !detach, isDetached: detach, isPrivileged: privileged, global: global)
    }
}
