import ArgumentParser
import Deployments
import ExternalTools
import Workspaces
import YAML

/// `so doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check this host, and say what to install.",
        discussion: "The exit code is 0 when deployments can run, else 69.")

    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        var checks = await Doctor(environment: Host.environment).examine()
        checks += await WorkspaceDoctor(try Host.workspaces(), executable: try Host.program).examine()
        if output.format == .table { printText(checks) } else { printListing(checks) }
        if checks.contains(where: { $0.outcome == .failed }) { throw ExitCode(69) }
    }

    private func printText(_ checks: [HostCheck]) {
        let style = Style(enabled: Terminal.hasColor(global))
        let width = checks.map(\.name.count).max() ?? 0
        for check in checks {
            let sign =
                switch check.outcome {
                case .ok: style.green("ok     ")
                case .warning: style.yellow("warning")
                case .failed: style.red("failed ")
                }
            let pad = String(repeating: " ", count: width - check.name.count)
            Terminal.passOn("\(sign)  " + printable("\(check.name)\(pad)  \(check.found)\n"))
            if let hint = check.hint { Terminal.output("         hint: \(hint)\n") }
        }
    }

    private func printListing(_ checks: [HostCheck]) {
        Table(
            columns: ["name", "outcome", "found", "hint"],
            rows: checks.map { check in
                [
                    .string(check.name), .string(check.outcome.rawValue), .string(check.found),
                    check.hint.map { .string($0) } ?? .plain("null"),
                ]
            }
        ).print(output.format)
    }
}
