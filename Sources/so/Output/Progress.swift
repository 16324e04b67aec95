import Deployments
import Glibc
import Runtimes
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
    private let global: GlobalOptions
    private let fetches: FetchProgress
    private let showsPlan: Bool

    /// - Parameter showsPlan: whether what a start changes is listed before it.
    init(global: GlobalOptions, showsPlan: Bool = false) {
        self.global = global
        self.showsPlan = showsPlan
        fetches = FetchProgress(global: global)
        isQuiet = global.quiet
        isVerbose = global.verbose || global.debug
        isLive = Terminal.isLive && !global.quiet && !global.debug
        style = Style(enabled: Terminal.hasColor(global, descriptor: STDERR_FILENO))
    }

    /// Takes an event; called from several tasks.
    func handle(_ event: DeploymentEvent) {
        if case .runtime(let event) = event { return handle(event) }
        if tellAnyway(event) { return }
        guard !isQuiet else { return }
        state.withLock { state in
            if case .fetching(let locator, let event) = event { return fetches.handle(locator, event) }
            tell(event, in: &state)
        }
    }

    /// Takes an event of a runtime; called from several tasks.
    func handle(_ event: Event) {
        guard !isQuiet else { return }
        state.withLock { state in
            switch event.phase {
            case .planned(let plan): prepare(plan, in: &state)
            case .note(let diagnostic):
                if Diagnoses.isNew(diagnostic) { print(printable(diagnostic.description), in: &state) }
            default:
                // A live row has to end with how its service stands.
                let saysAll = isVerbose || state.drawn > 0
                guard let text = EventText(event.phase, style: style, isVerbose: saysAll).line else { return }
                show(text, of: event.service, in: &state)
            }
        }
    }

    /// What is said whether or not anything else is.
    private func tellAnyway(_ event: DeploymentEvent) -> Bool {
        switch event {
        case .locked(let holder, let directory): Terminal.note("waiting for \(holder), which works on \(directory)")
        case .building(let event): event.note(global)
        case .unreadable(let diagnostics):
            Diagnoses.print(diagnostics)
            Terminal.note(
                "the deployment's files have errors: what runs is stopped by its labels, without the stop hook")
        default: return false
        }
        return true
    }

    /// What concerns no pod, below the rows as they stand.
    private func tell(_ event: DeploymentEvent, in state: inout State) {
        state.drawn = 0
        switch event {
        case .decided(let plan):
            let changes = plan.items.filter { $0.action != .keep }
            if showsPlan, !changes.isEmpty { Terminal.note(Plan(items: changes).description) }
        case .hostAccess(let access): Terminal.note(access)
        case .output(let source, let line): Terminal.note("\(source): \(line)")
        case .updated(let update, let directory): update.report(directory, isLast: false)
        case .message(let text, let isDetail): if !isDetail || isVerbose { Terminal.note(text) }
        default: break
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
        Terminal.error(line + "\n")
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
