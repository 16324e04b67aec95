import ArgumentParser
import Deployments
import Runtimes
import YAML

/// `so deployment ps`.
struct DeploymentPs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ps", abstract: "List the deployment's pods with their ports and routes.")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var output: OutputOption
    @OptionGroup var listing: PodListing
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let handle = try await Host.look(directory, global: global).handle
        let pods = try await listing.chosen(handle.ps(), handle, hidesEnded: false)
        listing.print(pods, output.format, global: global)
    }
}

/// How pods are listed.
struct PodListing: ParsableArguments {
    @Flag(name: [.short, .long], help: "List all pods, also those that ended well or do not exist.")
    var all = false

    @Flag(name: .customShort("q"), help: "Print the pods' names only.")
    var namesOnly = false

    @Flag(name: .customLong("services"), help: "Print the services' names only.")
    var servicesOnly = false

    @Option(
        help: ArgumentHelp(
            "Only pods in this state: running, exited, restarting, created, or one of the column's; repeat it for more.",
            valueName: "state"))
    var status: [String] = []

    @Option(help: ArgumentHelp("As --status, written status=<state>.", valueName: "filter"))
    var filter: [String] = []

    /// Nothing is cut off.
    @Flag(help: .hidden)
    var noTrunc = false

    @Flag(help: .hidden)
    var orphans = false

    @Argument(help: "Only these services.")
    var services: [String] = []

    func validate() throws { _ = try states }

    /// The states that are asked for; none: all.
    private var states: Set<PodStatus.State> {
        get throws {
            let filtered = try filter.map { filter in
                guard filter.hasPrefix("status=") else {
                    throw ValidationError("--filter takes status=STATE, not `\(filter)`")
                }
                return String(filter.dropFirst("status=".count))
            }
            return try (status + filtered).reduce(into: []) { result, word in
                let states = PodStatus.State.named(word)
                guard !states.isEmpty else { throw ValidationError("unknown pod state `\(word)`") }
                result.formUnion(states)
            }
        }
    }

    /// Those of the pods that are asked for.
    ///
    /// - Parameter hidesEnded: whether pods that ended well or do not exist are left out without --all, as docker compose does.
    func chosen(_ pods: [PodStatus], _ handle: DeploymentHandle, hidesEnded: Bool) throws -> [PodStatus] {
        try handle.requireServices(services)
        let isChosen = services.isEmpty ? nil : Set(services)
        let states = try states
        return pods.filter { pod in
            let isHidden =
                states.isEmpty
                ? hidesEnded && !all && [.absent, .completed, .stopped].contains(pod.state)
                : !states.contains(pod.state)
            return !isHidden && isChosen?.isDisjoint(with: [pod.service] + pod.containers) != true
        }
    }

    func print(_ pods: [PodStatus], _ format: OutputFormat, global: GlobalOptions) {
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
        ).print(format)
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
