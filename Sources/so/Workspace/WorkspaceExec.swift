import ArgumentParser
import ExternalTools
import Workspaces

/// `so workspace exec`.
struct WorkspaceExec: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec", abstract: "Run a command in the project's workspace; its exit code is passed on.",
        usage: "so workspace exec [-T] <command> ...",
        discussion: "A workspace that does not run is started, and stopped when the last command has ended.")

    @OptionGroup var terminal: TerminalOptions
    @OptionGroup var place: ProjectDirectory
    @OptionGroup var global: GlobalOptions

    @Argument(parsing: .captureForPassthrough, help: "The command with its arguments.")
    var command: [String]

    func run() async throws {
        let words = command.first == "--" ? Array(command.dropFirst()) : command
        guard !words.isEmpty else { throw ValidationError("which command shall run in the workspace?") }
        let project = try place.project
        if global.dryRun {
            return Terminal.output("run in \(project.path): \(words.map(shellQuoted).joined(separator: " "))\n")
        }
        let isTerminal = terminal.isWanted
        let status = try await WorkspaceUse(project, global.quieted).run { service, record in
            try await service.exec(
                record, words, on: .ofThisProcess, tty: isTerminal, term: Terminal.environment("TERM"))
        }
        if status != 0 { throw ExitCode(Int32(truncatingIfNeeded: status)) }
    }
}
