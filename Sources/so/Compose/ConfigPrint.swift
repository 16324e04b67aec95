import ArgumentParser
import Compose
import OrderedCollections
import Runtimes
import SystemCrypto
import YAML

/// What of the model `so config` prints instead of the whole.
struct ConfigPrint: ParsableArguments {
    @Flag(help: "Print the services' names only.")
    var services = false

    @Flag(help: "Print the names of the images only.")
    var images = false

    @Flag(help: "Print the volumes' names only.")
    var volumes = false

    @Flag(help: "Print the networks' names only.")
    var networks = false

    @Flag(help: "Print the profiles' names only.")
    var profiles = false

    @Flag(help: "Print the models' names only.")
    var models = false

    @Flag(help: "Print the variables that the files name, with their defaults.")
    var variables = false

    @Flag(help: "Print the variables that interpolation uses, with their values.")
    var environment = false

    @Option(
        help: ArgumentHelp(
            "Print the services' configuration hashes: * for all, or names with commas.", valueName: "services"))
    var hash: String?

    var isWanted: Bool {
        services || images || volumes || networks || profiles || models || variables || environment || hash != nil
    }

    /// The first of what is wanted, one a line.
    func text(_ loaded: CanonicalProject, format: CanonicalOptions.Format?) throws -> String {
        if variables { return table(loaded.variables, format: format) }
        let lines = try lines(loaded)
        return lines.map { $0 + "\n" }.joined()
    }

    private func lines(_ loaded: CanonicalProject) throws -> [String] {
        let project = loaded.project
        if services { return section("services", loaded) }
        if volumes { return section("volumes", loaded) }
        if networks { return section("networks", loaded) }
        if models { return project.models.values.map(\.model).sorted() }
        if let hash { return try hashes(loaded, hash) }
        if profiles {
            let all = Array(project.services.values) + Array(project.disabledServices.values)
            return Set(all.flatMap(\.profiles)).sorted()
        }
        if images { return project.services.keys.sorted().flatMap { Self.images(project, $0) } }
        return loaded.scope.names.sorted().compactMap { name in
            loaded.scope[name].map { "\(name)=\($0.value.masked)" }
        }
    }

    /// The names in a section of what would be printed: without what no service uses.
    private func section(_ name: String, _ loaded: CanonicalProject) -> [String] {
        (loaded.node().mapping?[name]?.mapping?.entries ?? []).map(\.key).sorted()
    }

    private static func images(_ project: Project, _ name: String) -> [String] {
        guard let service = project.services[name], service.provider == nil else { return [] }
        let mounted = service.volumes.compactMap { $0.kind == .image ? $0.source : nil }
        return [service.image ?? "\(project.name)-\(name)"] + mounted
    }

    private func hashes(_ loaded: CanonicalProject, _ wanted: String) throws -> [String] {
        let known = loaded.project.services.keys
        let names = wanted == "*" ? Array(known) : wanted.split(separator: ",").map(String.init)
        return try names.sorted().map { name in
            guard let text = loaded.hashedText(ofService: name) else {
                throw DeploymentError(
                    .missing, "no service named \(name)", hint: "the services are \(known.joined(separator: ", "))")
            }
            return "\(name) \(sha256Hex(text))"
        }
    }

    private func table(_ variables: [TemplateVariable], format: CanonicalOptions.Format?) -> String {
        let columns = ["name", "required", "default-value", "alternate-value"]
        let rows = variables.map { variable -> [Node] in
            [
                .string(variable.name), .plain(variable.isRequired ? "true" : "false"),
                .string(variable.defaultText), .string(variable.replacement),
            ]
        }
        let listing = Table(columns: columns, rows: rows)
        return listing.text(format.flatMap { OutputFormat(rawValue: $0.rawValue) } ?? .table)
    }
}
