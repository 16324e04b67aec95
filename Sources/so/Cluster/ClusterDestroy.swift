import ArgumentParser
import Runtimes

/// `so cluster destroy`.
struct ClusterDestroy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "destroy", abstract: "Destroy the kind cluster of this host, with every deployment in it.",
        discussion: "Directories of this host that it mounts, and the ingress controller's certificates, stay.")

    @OptionGroup var options: ClusterOptions
    @OptionGroup var global: GlobalOptions

    @Flag(help: "Do not ask, whatever is in it.")
    var yes = false

    func run() async throws {
        let host = try await Host.kind()
        guard let name = try await host.cluster(named: options.name) else {
            return Terminal.note("no kind cluster\(options.name.map { " named \($0)" } ?? "")")
        }
        let deployments = await host.deployments(in: name)
        for deployment in deployments { Terminal.output("deployment  \(deployment)\n") }
        if global.dryRun { return Terminal.output("destroy     cluster \(name)\n") }
        guard yes else {
            throw ValidationError(
                "destroying the cluster \(name) also destroys \(Self.count(deployments)): confirm with --yes"
            )
        }
        try await host.destroy(name)
        if !global.quiet { Terminal.note("the kind cluster \(name) is gone") }
    }

    private static func count(_ deployments: [String]) -> String {
        switch deployments.count {
        case 0: "no deployment"
        case 1: "1 deployment"
        default: "\(deployments.count) deployments"
        }
    }
}
