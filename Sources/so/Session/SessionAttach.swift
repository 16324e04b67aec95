import ArgumentParser
import Workspaces

/// `so session attach`.
struct SessionAttach: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach", abstract: "Show the agent's terminal; Ctrl-] then d detaches from it.")

    @OptionGroup var choice: SessionChoice
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let (service, record) = try await choice.open()
        guard Terminal.isInteractive else {
            throw ValidationError("attach needs a terminal: see the agent's with so session logs \(record.id)")
        }
        try await SessionEnding(service: service, global: global).attach(record)
    }
}
