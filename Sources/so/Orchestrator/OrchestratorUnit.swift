import ArgumentParser
import Orchestrator
import Runtimes

/// `so orchestrator unit`.
struct OrchestratorUnit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unit", abstract: "Print the systemd unit of the server.",
        discussion: "The agents outlive the server: KillMode=process and Delegate=yes; their user needs linger.")

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let file = try config.load().file
        let executable = Files.canonical("/proc/self/exe")
        Terminal.output(SystemdUnit(executable: executable, configurationFile: file).text)
    }
}
