import ArgumentParser
import ExternalTools
import Runtimes
import YAML

/// `so cluster status`.
struct ClusterStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the kind clusters of this host, their nodes, mounts and deployments.",
        discussion: "The exit code is 0 when there is a running one, else 69.")

    @OptionGroup var options: ClusterOptions
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let host = try await Host.kind()
        let names = try await host.clusters().filter { options.name == nil || $0 == options.name }
        var rows: [[Node]] = []
        for name in names {
            let deployments = await host.deployments(in: name)
            for node in try await host.nodes(of: name) {
                rows.append([
                    .string(name), .string(node.name), .string(node.isRunning ? "running" : "stopped"),
                    .list(node.givenMounts.map { .string("\($0.source):\($0.destination)") }),
                    .list(deployments.map { .string($0) }),
                ])
            }
        }
        Table(columns: ["cluster", "node", "state", "mounts", "deployments"], rows: rows).print(output.format)
        guard !rows.isEmpty else { throw ExitCode(69) }
    }
}
