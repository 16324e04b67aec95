import AgentLoop
import Synchronization
import Workspaces
import YAML

/// Shows how tasks go on standard error, each line behind its task's id.
final class TaskPrinter: Sendable {
    private let pending = Mutex<[String: [UInt8]]>([:])
    private let style: Style
    private let isQuiet: Bool

    init(_ global: GlobalOptions) {
        style = Style(enabled: Terminal.hasColor(global, descriptor: 2))
        isQuiet = global.quiet
    }

    /// Called from several tasks.
    func print(_ event: TaskEvent) {
        guard !isQuiet else { return }
        pending.withLock { pending in
            switch event {
            case .started(let task, let attempt):
                line(task.id, style.dim(attempt == 1 ? "started" : "started again (attempt \(attempt))"))
            case .output(let task, let bytes):
                var rest = (pending[task.id] ?? []) + bytes
                while let end = rest.firstIndex(of: 10) {
                    line(task.id, printable(String(decoding: rest[..<end], as: UTF8.self)))
                    rest.removeSubrange(...end)
                }
                pending[task.id] = rest
            case .ended(let result):
                if let rest = pending.removeValue(forKey: result.id), !rest.isEmpty {
                    line(result.id, printable(String(decoding: rest, as: UTF8.self)))
                }
                line(
                    result.id, result.isFailure ? style.red(result.state.rawValue) : style.green(result.state.rawValue))
            }
        }
    }

    private func line(_ id: String, _ text: String) { Terminal.note("\(id) | \(text)") }
}
