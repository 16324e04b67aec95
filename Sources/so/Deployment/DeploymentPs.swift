import ArgumentParser
import Deployments
import YAML

/// `so deployment ps`.
struct DeploymentPs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ps", abstract: "List the deployment's pods with their ports and routes.")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let pods = try await OpenDeployment(directory, global: global).handle.ps()
        Table(
            columns: ["service", "pod", "image", "state", "ports", "routes"],
            rows: pods.map { pod in
                [
                    .string(pod.service), .string(pod.pod), .string(pod.image), .string(pod.stateText),
                    .list(pod.ports.map { .string($0.text) }), .list(pod.routes.map { .string($0) }),
                ]
            }
        ).print(output.format)
    }
}

extension PodStatus {
    /// The state with the exit code where the pod has ended.
    var stateText: String {
        if let exitCode, state == .failed || state == .completed { return "\(state.rawValue) (\(exitCode))" }
        return state.rawValue
    }
}

extension PodStatus.Port {
    /// `127.0.0.1:8080->80/tcp`.
    var text: String { "\(address)->\(containerPort)/\(transport)" }

    /// The address of a TCP port, as a browser takes it.
    var url: String? {
        guard transport == "tcp" else { return nil }
        let host = ["", "0.0.0.0", "::", "127.0.0.1", "::1"].contains(hostIP) ? "localhost" : hostIP
        return "http://\(host.contains(":") ? "[\(host)]" : host):\(hostPort)"
    }

    /// Where the port answers: `0.0.0.0:8080`.
    var address: String {
        let host = hostIP.isEmpty ? "0.0.0.0" : hostIP.contains(":") ? "[\(hostIP)]" : hostIP
        return "\(host):\(hostPort)"
    }
}
