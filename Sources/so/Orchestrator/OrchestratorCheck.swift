import ArgumentParser
import Orchestrator
import YAML

/// `so orchestrator check`.
struct OrchestratorCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Verify configuration, store, forge, credentials and runtime.")

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let configuration = try config.load()
        let environment = Host.environment
        let context = try Host.workspaces()
        let checks = await configuration.checks(context.forAgentsOfOthers) {
            try await configuration.openCredentials(environment: environment)
        } runtime: {
            try await configuration.checkRuntime(context)
        }
        for check in checks {
            guard let problem = check.problem else {
                if !global.quiet { Terminal.output("ok       \(printable(check.name))\n") }
                continue
            }
            Terminal.output(
                "problem  \(printable(check.name)): \(printable(problem))\(hintLine(check.hint.map(printable)))\n")
        }
        if checks.contains(where: { $0.problem != nil }) { throw ExitCode(1) }
    }
}
