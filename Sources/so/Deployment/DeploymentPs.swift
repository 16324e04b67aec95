import ArgumentParser
import Deployments
import YAML

/// `so deployment ps`.
struct DeploymentPs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ps", abstract: "List the deployment's pods with their ports and routes.")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var listing: PodListing
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await listing.print(directory, global: global, hidesEnded: false) }
}

/// How pods are listed.
struct PodListing: ParsableArguments {
    @OptionGroup var output: OutputOption

    @Flag(name: [.short, .long], help: "List pods too that ended well, or do not exist.")
    var all = false

    @Flag(name: .customShort("q"), help: "Print the pods' names only.")
    var namesOnly = false

    @Flag(name: .customLong("services"), help: "Print the services' names only.")
    var servicesOnly = false

    @Argument(help: "Only these services.")
    var services: [String] = []

    /// - Parameter hidesEnded: whether pods that ended well or do not exist are left out without --all, as docker compose does.
    func print(_ directory: DirectoryOption, global: GlobalOptions, hidesEnded: Bool) async throws {
        let handle = try OpenDeployment(directory, global: global).handle
        try handle.requireServices(services)
        let isChosen = services.isEmpty ? nil : Set(services)
        let pods = try await handle.ps().filter { pod in
            let isHidden = hidesEnded && !all && [.absent, .completed, .stopped].contains(pod.state)
            return !isHidden && isChosen?.isDisjoint(with: [pod.service] + pod.containers) != true
        }
        if namesOnly || global.quiet { return pods.forEach { Terminal.output("\($0.pod)\n") } }
        if servicesOnly {
            var seen: Set<String> = []
            return pods.filter { seen.insert($0.service).inserted }.forEach { Terminal.output("\($0.service)\n") }
        }
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
