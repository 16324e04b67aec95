import ArgumentParser
import Workspaces

/// `so session shell`.
struct SessionShell: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell", abstract: "Open a shell in the session's checkout, beside the agent.")

    @OptionGroup var choice: SessionChoice
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let (service, record) = try await choice.open()
        guard Terminal.isInteractive else {
            throw ValidationError("a shell needs a terminal: run commands with so session exec \(record.id)")
        }
        Interrupts.beginFollowing()
        let status = try await service.shell(record, on: .ofThisProcess, term: Terminal.environment("TERM"))
        if status != 0 { throw ExitCode(Int32(truncatingIfNeeded: status)) }
    }
}
