import ArgumentParser
import Compose
import Deployments
import OrderedCollections
import Runtimes
import Specs
import YAML

/// `so deployment config`.
struct DeploymentConfig: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Print each service's final environment; secrets are masked.")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    @Flag(help: "Show for each value which layer decided it, where, and what it overrides.")
    var explain = false

    @Argument(help: "Only these services.")
    var services: [String] = []

    func run() async throws {
        let loaded = try LoadedDeployment.load(
            try DeploymentDirectory.open(directory.directory), options: Host.layerOptions())
        let environment = loaded.project.environment
        for service in services where environment[service] == nil {
            throw DeploymentError(
                .missing, "no service named \(service)",
                hint: "the services are \(environment.keys.joined(separator: ", "))")
        }
        let rows = environment.filter { services.isEmpty || services.contains($0.key) }.flatMap { service, entries in
            entries.map { row(service, $0, root: loaded.directory.root) }
        }
        let columns = ["service", "variable", "value"] + (explain ? ["layer", "where", "sets-aside"] : [])
        Table(columns: columns, rows: rows).print(output.format)
    }

    private func row(_ service: String, _ entry: EnvironmentEntry, root: String) -> [Node] {
        let plain: [Node] = [.string(service), .string(entry.name), .string(entry.value.masked)]
        guard explain else { return plain }
        let shadowed = entry.shadowed.map { Node.string("\($0.layer.rawValue) \(place($0.mark, root: root))") }
        return plain + [.string(entry.layer.rawValue), .string(place(entry.mark, root: root)), .list(shadowed)]
    }

    /// The place, relative to the deployment directory where it lies inside.
    private func place(_ mark: Mark, root: String) -> String {
        let text = mark.description
        return text.hasPrefix(root + "/") ? String(text.dropFirst(root.count + 1)) : text
    }
}
