import ArgumentParser
import Workspaces

/// `so session stop`.
struct SessionStop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop a session's pods; its work and its agent's home stay.")

    @OptionGroup var choice: SessionChoice
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let (service, record) = try await choice.open()
        if global.dryRun { return Terminal.output("stop session \(record.id)\n") }
        let stopped = try await service.stop(record)
        if !global.quiet { Terminal.note("session \(stopped.id) is stopped: so session resume \(stopped.id)") }
    }
}
