import AgentLoop
import Glibc
import Synchronization
import Workspaces
import YAML

/// Prints what an agent without a terminal says (standard output) and does (standard error).
final class AgentPrinter: Sendable {
    private let style: Style
    private let isQuiet: Bool
    private let lock = Mutex(())

    init(_ global: GlobalOptions) {
        style = Style(enabled: Terminal.hasColor(global, descriptor: STDERR_FILENO))
        isQuiet = global.quiet
    }

    /// Called from several tasks.
    func print(_ event: AgentEvent) {
        lock.withLock { _ in
            switch event {
            case .started: break
            case .text(let text): Terminal.output(printable(text) + "\n")
            case .tool(let name, let detail): note(style.dim(printable(detail.isEmpty ? name : "\(name): \(detail)")))
            case .problem(let text): note(style.yellow(printable(text)))
            case .ended(let end): if let tokens = end.tokens { note(style.dim(tokens)) }
            }
        }
    }

    private func note(_ text: String) { if !isQuiet { Terminal.note(text) } }
}
