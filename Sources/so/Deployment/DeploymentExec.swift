import ArgumentParser
import Deployments
import ExternalTools
import Glibc
import Runtimes

/// `so deployment exec`.
struct DeploymentExec: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec", abstract: "Run a command in a running service; its exit code is passed on.",
        usage: "so deployment exec --dir <dir> [-it] [--user <user>] <service> <command> ...")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var global: GlobalOptions
    @OptionGroup var settings: ExecOptions

    @Flag(name: [.short, .long], help: "Pass standard input on.")
    var interactive = false

    @Flag(name: [.short, .long], help: "Give the command a terminal.")
    var tty = false

    @Argument(help: "The service.")
    var service: String

    @Argument(
        parsing: .captureForPassthrough,
        help: "The command with its arguments; one argument with spaces in it is a line for the shell.")
    var command: [String]

    func run() async throws {
        let hasTerminal = isatty(STDIN_FILENO) == 1
        if tty && !hasTerminal { Terminal.note("warning: -t has no effect: standard input is not a terminal") }
        try await settings.run(
            service, command, in: directory, interactive: interactive, tty: tty && hasTerminal, global: global)
    }
}

/// How a command is run in a service.
struct ExecOptions: ParsableArguments {
    @Option(help: "Which replica, counted from 1.")
    var index = 1

    @OptionGroup var settings: ContainerCommandOptions

    func run(
        _ service: String, _ command: [String], in directory: DirectoryOption, interactive: Bool, tty: Bool,
        isDetached: Bool = false, isPrivileged: Bool = false, global: GlobalOptions
    ) async throws {
        let words = command.first == "--" ? Array(command.dropFirst()) : command
        guard !words.isEmpty else { throw ValidationError("which command shall run in \(service)?") }
        var request = ExecRequest(service: service, command: words, interactive: interactive, tty: tty)
        request.replica = index
        request.user = settings.user
        request.workingDirectory = settings.workdir
        request.environment = settings.env
        (request.isDetached, request.isPrivileged) = (isDetached, isPrivileged)
        let deployment = try await Host.look(directory, global: global)
        if isDetached { try deployment.requirePodman("--detach") }
        if isPrivileged { try deployment.requirePodman("--privileged") }
        if global.dryRun {
            return Terminal.output("run in \(service): \(words.map(shellQuoted).joined(separator: " "))\n")
        }
        let status = try await deployment.handle.exec(request, on: .ofThisProcess)
        if status != 0 { throw ExitCode(Int32(truncatingIfNeeded: status)) }
    }
}

extension DeploymentExec: PassingThrough {
    static let valueOptions: Set<String> = ["--dir", "--index", "--user", "--workdir", "--env", "-u", "-w", "-e"]
}
