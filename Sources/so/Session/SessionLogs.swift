import ArgumentParser
import Runtimes
import Workspaces
import YAML

/// `so session logs`.
struct SessionLogs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Print what the agent has said and done, or what a pod of the session has written.",
        discussion: "Of an agent at a terminal, what the terminal has shown.")

    @OptionGroup var choice: SessionChoice

    @Flag(name: .shortAndLong, help: "Follow the log until the agent ends.")
    var follow = false

    @Flag(help: "Print the lines of the agent's CLI as they are.")
    var raw = false

    @Option(
        help: ArgumentHelp("Instead of the agent's output, what this pod has written: agent, egress.", valueName: "pod")
    )
    var pod: String?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let (service, record) = try await choice.open()
        if follow { Interrupts.beginFollowing() }
        if let pod {
            return try await service.podLogs(record, service: pod, follow: follow) { line in
                Terminal.output(printable(line.text) + "\n")
            }
        }
        guard record.prompt != nil, !raw else {
            return try await service.log(record, follow: follow) { bytes in
                Terminal.output(raw ? String(decoding: bytes, as: UTF8.self) : printable(Self.text(bytes)))
            }
        }
        let format = try Host.workspaces().agent(record.agent).output
        let printer = AgentPrinter(global)
        try await service.events(record, format: format, follow: follow) { printer.print($0) }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
