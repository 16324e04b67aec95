import ArgumentParser
import Compose
import Deployments
import OrderedCollections
import Runtimes
import SystemCrypto
import YAML

/// `so config`.
struct ConfigCommand: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check the compose files, and print the merged model in canonical form.",
        discussion: """
            The model is the one of `docker compose config`: merged, interpolated, in long forms. Values of .env and of \
            env files are printed as they are. In a deployment directory, the deployment's values are listed instead, \
            and secrets are masked.
            """)

    @OptionGroup var place: PlaceOptions
    @OptionGroup var print: ConfigPrint

    @Option(help: "yaml or json.")
    var format: CanonicalOptions.Format?

    @Option(name: [.short, .long], help: "Write to this file.")
    var output: String?

    @Flag(name: .customShort("q"), help: "Only check the files (as --quiet does).")
    var isQuiet = false

    @Flag(help: "Leave variables as they are written.")
    var noInterpolate = false

    @Flag(help: "Do not fill in names, the default network and implied dependencies.")
    var noNormalize = false

    @Flag(help: "Leave relative paths as they are written.")
    var noPathResolution = false

    @Flag(help: "Do not check what services refer to.")
    var noConsistency = false

    @Flag(help: .hidden)
    var resolveImageDigests = false

    @OptionGroup var global: GlobalOptions

    @Argument(help: "Only these services, with what they depend on.")
    var services: [String] = []

    func validate() throws {
        guard resolveImageDigests else { return }
        throw ValidationError(
            "--resolve-image-digests is not available: no registry is asked here; write image: NAME@sha256:… to pin one"
        )
    }

    func run() async throws {
        let (found, tree) = try place.find()
        guard case .project(let project) = found else {
            return try await printDeployment(place.existing().directory)
        }
        let text = try text(loaded(project, tree))
        if isQuiet || global.quiet { return }
        if let output { return try Files.write(Array(text.utf8), to: output) }
        Terminal.output(text)
    }

    private func printDeployment(_ directory: String) async throws {
        let form = format.map { ["--output", $0.rawValue] } ?? []
        try await DeploymentConfig.parse(["--dir", directory] + form + services).run()
    }

    private func loaded(_ found: FoundProject, _ tree: FileTree) throws -> CanonicalProject {
        var options = found.options
        options.homeDirectory = Host.environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        options.interpolates = !noInterpolate && !print.variables
        options.checksConsistency = !noConsistency
        options.services = options.interpolates ? services : []
        var diagnostics = Diagnostics()
        let project = loadCanonicalProject(
            files: found.files, options: options, tree: tree, diagnostics: &diagnostics)
        try diagnostics.throwIfErrors()
        Diagnoses.warn(diagnostics.list, global: global)
        guard let project else { throw InvalidInput(diagnostics.list) }
        return project
    }

    private func text(_ loaded: CanonicalProject) throws -> String {
        if print.isWanted { return try print.text(loaded, format: format) }
        var options = CanonicalOptions()
        options.format = format ?? .yaml
        options.normalizes = !noNormalize
        options.resolvesPaths = !noPathResolution
        return loaded.text(options)
    }
}

extension CanonicalOptions.Format: ExpressibleByArgument {}
