import ArgumentParser
import Deployments
import ExternalTools
import Glibc

/// `so deployment exec`.
struct DeploymentExec: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec", abstract: "Run a command in a running service; its exit code is passed on.",
        usage: "so deployment exec --dir <dir> [-it] [--user <user>] <service> <command> ...")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var global: GlobalOptions

    @Flag(name: [.short, .long], help: "Pass standard input on.")
    var interactive = false

    @Flag(name: [.short, .long], help: "Give the command a terminal.")
    var tty = false

    @Option(help: "Which of several replicas, from 1.")
    var index = 1

    @Option(name: [.short, .long], help: "The user to run as.")
    var user: String?

    @Option(name: [.short, .long], help: "The directory to run in.")
    var workdir: String?

    @Argument(help: "The service.")
    var service: String

    @Argument(parsing: .captureForPassthrough, help: "The command with its arguments.")
    var command: [String]

    /// Whether the argument after this option is its value.
    static func takesValue(_ option: String) -> Bool {
        if option.hasPrefix("--") { return ["--dir", "--index", "--user", "--workdir"].contains(option) }
        return option.hasSuffix("u") || option.hasSuffix("w")
    }

    func run() async throws {
        let words = command.first == "--" ? Array(command.dropFirst()) : command
        guard !words.isEmpty else { throw ValidationError("which command shall run in \(service)?") }
        var request = ExecRequest(
            service: service, command: words, interactive: interactive, tty: tty && isatty(STDIN_FILENO) == 1)
        request.replica = index
        request.user = user
        request.workingDirectory = workdir
        if tty && !request.tty { Terminal.note("warning: -t has no effect: standard input is not a terminal") }
        let deployment = try OpenDeployment(directory, global: global)
        if global.dryRun {
            return Terminal.output("run in \(service): \(words.map(shellQuoted).joined(separator: " "))\n")
        }
        let status = try await deployment.handle.exec(request)
        if status != 0 { throw ExitCode(Int32(truncatingIfNeeded: status)) }
    }
}
