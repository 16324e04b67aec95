import Runtimes
import YAML

/// The words for one step of one service.
struct EventText {
    let line: String?

    init(_ phase: Event.Phase, style: Style, isVerbose: Bool) {
        line =
            switch phase {
            case .planned, .note: nil
            case .pulling(let image): "pulling \(printable(image))"
            case .loading(let image, let cluster): "loading \(printable(image)) into the cluster \(cluster)"
            case .waiting(let other): style.dim("waiting for \(other)")
            case .replacing(let reason): "replacing: \(printable(reason))"
            case .creating: "creating"
            case .initStep(let name): "running init step \(name)"
            case .started: "started"
            case .probing(let answer):
                style.yellow("waiting for its health check")
                    + (answer.isEmpty ? "" : style.dim(": \(printable(answer))"))
            case .restarted(let code, let times): style.yellow("ended with exit code \(code), restarted (\(times))")
            case .ready(let seconds): style.green("ready") + " in \(Self.short(seconds)) s"
            case .completed(let seconds): style.green("completed") + " in \(Self.short(seconds)) s"
            case .unchanged: isVerbose ? style.dim("unchanged") : nil
            case .stopping: "stopping"
            case .removed: "removed"
            case .deleted(let name): "deleted \(printable(name))"
            case .kept(let name): "kept \(printable(name))"
            case .failed(let reason): style.red("failed") + ": \(printable(reason))"
            case .abandoned(let isStarted):
                style.yellow(isStarted ? "not waited for" : "not started") + ": another service failed"
            }
    }

    private static func short(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
