import ArgumentParser
import Deployments
import FoundationEssentials
import Runtimes
import YAML

/// `so deployment status`.
struct DeploymentStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the status of each service, asking its health check.",
        discussion: "The exit code is 0 when everything is ready, else 1.")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let handle = try await Host.look(directory, global: global).handle
        let several = handle.model.replicated
        let pods = try await handle.status()
        Table(
            columns: ["service", "ready", "state", "health", "restarts", "age", "urls"],
            rows: pods.map { pod in
                [
                    .string(several.contains(pod.service) ? "\(pod.service)-\(pod.replica)" : pod.service),
                    .plain(pod.isReady ? "true" : "false"), .string(pod.stateText),
                    health(pod), .plain("\(pod.restarts)"), age(pod),
                    .list((pod.ports.compactMap(\.url) + pod.routes).map { .string($0) }),
                ]
            }
        ).print(output.format)
        if !pods.allSatisfy(\.isReady) { throw ExitCode(1) }
    }

    private func health(_ pod: PodStatus) -> Node {
        guard let healthy = pod.healthy else { return pod.health.map { .string(fitting($0)) } ?? .plain("null") }
        if healthy { return .string("healthy") }
        return .string(pod.health.map { fitting("unhealthy: \($0)") } ?? "unhealthy")
    }

    /// A table's rows stay on a line of a terminal; JSON, YAML and a start tell all.
    private func fitting(_ text: String) -> String {
        output.format == .table && text.count > 80 ? "\(text.prefix(79))…" : text
    }

    private func age(_ pod: PodStatus) -> Node {
        guard let started = pod.startedAt, pod.state == .running else { return .plain("null") }
        let seconds = max(0, Int(Date().timeIntervalSince1970) - started)
        if output.format != .table { return .plain("\(seconds)") }
        return switch seconds {
        case ..<120: .string("\(seconds)s")
        case ..<7200: .string("\(seconds / 60)m")
        case ..<172_800: .string("\(seconds / 3600)h")
        default: .string("\(seconds / 86400)d")
        }
    }
}
