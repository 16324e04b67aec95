import ArgumentParser
import Deployments
import Runtimes
import YAML

/// `so deployment port`.
struct DeploymentPort: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "port", abstract: "Print where a service's port is published, or all published ports.")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var published: PublishedPortOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await published.print(directory, global: global) }
}

/// Which published ports are printed.
struct PublishedPortOptions: ParsableArguments {
    @OptionGroup var output: OutputOption

    @Option(name: .customLong("protocol"), help: "tcp or udp.")
    var transport = "tcp"

    @Argument(help: "The service; none lists all.")
    var service: String?

    @Argument(help: "The container's port, such as 80 or 53/udp.")
    var port: String?

    func print(_ directory: DirectoryOption, replica: Int? = nil, global: GlobalOptions) async throws {
        let handle = try await Host.look(directory, global: global).handle
        guard let service, let port else { return try await list(handle, replica) }
        let parts = port.split(separator: "/", maxSplits: 1).map(String.init)
        guard let first = parts.first, let number = Int(first), (1...65535).contains(number) else {
            throw ValidationError("invalid port `\(port)`: write 80 or 53/udp")
        }
        let published = try await handle.port(
            service, containerPort: number, transport: parts.count > 1 ? parts[1] : transport, replica: replica)
        Terminal.output("\(published.address)\n")
    }

    private func list(_ handle: DeploymentHandle, _ replica: Int?) async throws {
        let pods = try await handle.ps().filter { service == nil || $0.service == service }
        if let service, pods.isEmpty { throw DeploymentError(.missing, "no service named \(service)") }
        Table(
            columns: ["service", "port", "address"],
            rows: pods.filter { $0.replica == replica ?? $0.replica }.flatMap { pod in
                pod.ports.map {
                    [.string(pod.service), .string("\($0.containerPort)/\($0.transport)"), .string($0.address)]
                }
            }
        ).print(output.format)
    }
}
