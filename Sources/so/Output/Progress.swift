import Deployments
import Glibc
import Synchronization
import YAML

/// Shows what an operation does: on a terminal a line a service that is rewritten, elsewhere a plain line an event.
final class Progress: Sendable {
    private struct State {
        var order: [String] = []
        var texts: [String: String] = [:]
        /// Lines below which the terminal's cursor stands.
        var drawn = 0
        var width = 0
        var isStop = false
    }

    private let state = Mutex(State())
    private let isLive: Bool
    private let isQuiet: Bool
    private let isVerbose: Bool
    private let style: Style

    init(global: GlobalOptions) {
        isQuiet = global.quiet
        isVerbose = global.verbose || global.debug
        isLive = Terminal.isLive && !global.quiet && !global.debug
        style = Style(enabled: Terminal.hasColor(global, descriptor: STDERR_FILENO))
    }

    /// Takes an event; called from several tasks.
    func handle(_ event: Event) {
        guard !isQuiet else { return }
        state.withLock { state in
            switch event.phase {
            case .planned(let plan): prepare(plan, in: &state)
            case .note(let diagnostic): print(diagnostic.description, in: &state)
            default:
                // A live row has to end with how its service stands.
                let saysAll = isVerbose || state.drawn > 0
                guard let text = EventText(event.phase, style: style, isVerbose: saysAll).line else { return }
                show(text, of: event.service, in: &state)
            }
        }
    }

    private func prepare(_ plan: Plan, in state: inout State) {
        let named = plan.items.filter { $0.service != nil }
        let staying = named.filter { $0.action != .remove }
        // A stop has rows for what it removes.
        state.isStop = staying.isEmpty
        state.order = (staying.isEmpty ? named : staying).compactMap(\.service)
            .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        state.width = state.order.map(\.count).max() ?? 0
        guard isLive, !plan.isEmpty, state.order.count < Terminal.height else { return }
        redraw(&state)
    }

    private func show(_ text: String, of service: String?, in state: inout State) {
        guard let service else { return print(text, in: &state) }
        guard isLive, state.drawn > 0, state.order.contains(service) else {
            // What a health check says again and again is said once.
            guard state.texts.updateValue(text, forKey: service) != text else { return }
            return print("\(padded(service, state.width))  \(text)", in: &state)
        }
        state.texts[service] = text
        redraw(&state)
    }

    /// Writes a line that stays, above the live ones.
    private func print(_ line: String, in state: inout State) {
        let lines = state.drawn
        erase(&state)
        Terminal.note(line)
        if lines > 0 { redraw(&state) }
    }

    private func redraw(_ state: inout State) {
        let lines = state.order.map { service in
            let text = state.texts[service] ?? style.dim(state.isStop ? "running" : "waiting")
            return " \(padded(service, state.width))  \(text)"
        }
        let up = state.drawn > 0 ? "\u{1B}[\(state.drawn)A" : ""
        Terminal.error(up + lines.map { "\r\u{1B}[2K" + Terminal.fitted($0) + "\n" }.joined())
        state.drawn = lines.count
    }

    private func erase(_ state: inout State) {
        guard state.drawn > 0 else { return }
        Terminal.error("\u{1B}[\(state.drawn)A\u{1B}[J")
        state.drawn = 0
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

/// The words for one step of one service.
private struct EventText {
    let line: String?

    init(_ phase: Event.Phase, style: Style, isVerbose: Bool) {
        line =
            switch phase {
            case .planned, .note: nil
            case .pulling(let image): "pulling \(image)"
            case .loading(let image, let cluster): "loading \(image) into the cluster \(cluster)"
            case .waiting(let other): style.dim("waiting for \(other)")
            case .replacing(let reason): "replacing: \(reason)"
            case .creating: "creating"
            case .initStep(let name): "running init step \(name)"
            case .started: "started"
            case .probing(let answer):
                style.yellow("waiting for its health check") + (answer.isEmpty ? "" : style.dim(": \(answer)"))
            case .restarted(let code, let times): style.yellow("ended with exit code \(code), restarted (\(times))")
            case .ready(let seconds): style.green("ready") + " in \(Self.short(seconds)) s"
            case .completed(let seconds): style.green("completed") + " in \(Self.short(seconds)) s"
            case .unchanged: isVerbose ? style.dim("unchanged") : nil
            case .stopping: "stopping"
            case .removed: "removed"
            case .deleted(let name): "deleted \(name)"
            case .kept(let name): "kept \(name)"
            case .failed(let reason): style.red("failed") + ": \(reason)"
            case .abandoned(let isStarted):
                style.yellow(isStarted ? "not waited for" : "not started") + ": another service failed"
            }
    }

    private static func short(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
