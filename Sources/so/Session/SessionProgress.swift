import Workspaces
import YAML

/// Shows what a session's operation does, a line a step.
struct SessionProgress: Sendable {
    private let global: GlobalOptions
    private let pods: Progress

    init(_ global: GlobalOptions) {
        self.global = global
        pods = Progress(global: global)
    }

    /// Takes an event; called from several tasks.
    func handle(_ event: SessionEvent) {
        guard !global.quiet else { return }
        switch event {
        case .preparing(let id): Terminal.note("session \(id)")
        case .buildingImage(let tag): Terminal.note("building \(tag) (the first time; a few minutes)")
        case .note(let text): Terminal.note(printable(text))
        case .pods(let event): if global.verbose || global.debug { pods.handle(event) }
        case .cloning: detail("cloning the project")
        case .collecting: detail("collecting the work")
        case .delivering: detail("bringing the work to the project")
        case .removing: detail("removing the pods")
        }
    }

    private func detail(_ text: String) { if global.verbose || global.debug { Terminal.note(text) } }
}
