import ArgumentParser
import Workspaces

/// `so session resume`.
struct SessionResume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Start a stopped session again; its agent continues where it was, if it can.",
        discussion: "Also after a reboot of the host.")

    @OptionGroup var choice: SessionChoice

    @Flag(name: .shortAndLong, help: "Return when the agent has started.")
    var detach = false

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let (service, record) = try await choice.open()
        if global.dryRun { return Terminal.output("resume session \(record.id)\n") }
        let resumed = try await Host.payingSessions().resume(record, events: SessionProgress(global).handle)
        let ending = SessionEnding(service: service, global: global)
        guard !detach, resumed.prompt != nil || Terminal.isInteractive else {
            return Terminal.output("\(resumed.id)\n")
        }
        if resumed.prompt == nil { try await ending.attach(resumed) } else { try await ending.follow(resumed) }
    }
}
