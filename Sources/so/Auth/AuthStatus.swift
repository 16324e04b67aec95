import ArgumentParser
import Workspaces

/// `so auth status`.
struct AuthStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show which credentials there are and where they come from, never their values.")

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try Host.workspaces()
        for status in try context.credentials.status(of: try context.agents()) {
            let source = status.source.map { "\($0)" } ?? "none"
            let agents = status.agents.joined(separator: ", ")
            Terminal.output("\(padded(status.provider, 10)) \(padded(status.variable, 24)) \(source)  (\(agents))\n")
        }
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
