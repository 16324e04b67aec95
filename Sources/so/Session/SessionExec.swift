import ArgumentParser
import ExternalTools
import Workspaces

/// `so session exec`.
struct SessionExec: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec", abstract: "Run a command in the session's checkout; its exit code is passed on.",
        usage: "so session exec [-T] <session> <command> ...")

    @OptionGroup var terminal: TerminalOptions
    @OptionGroup var place: ProjectDirectory
    @OptionGroup var global: GlobalOptions

    @Argument(help: "The session's id, or the beginning of one.")
    var session: String

    @Argument(parsing: .captureForPassthrough, help: "The command with its arguments.")
    var command: [String]

    func run() async throws {
        let words = command.first == "--" ? Array(command.dropFirst()) : command
        guard !words.isEmpty else { throw ValidationError("which command shall run in session \(session)?") }
        if global.dryRun {
            return Terminal.output("run in \(session): \(words.map(shellQuoted).joined(separator: " "))\n")
        }
        let (service, record) = try await Host.session(session, place: place)
        Interrupts.beginFollowing()
        let status = try await service.exec(
            record, words, on: .ofThisProcess, tty: terminal.isWanted, term: Terminal.environment("TERM"))
        if status != 0 { throw ExitCode(Int32(truncatingIfNeeded: status)) }
    }
}

extension SessionExec: PassingThrough {
    static let valueOptions: Set<String> = ["--project", "-C"]
}
