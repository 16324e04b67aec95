import ArgumentParser
import Deployments
import Runtimes
import YAML

/// `so deployment secrets`.
struct DeploymentSecrets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secrets", abstract: "List the deployment's secrets, give one a new value, or import values.",
        discussion: "Values are never printed.",
        subcommands: [DeploymentSecretsList.self, DeploymentSecretsRotate.self, DeploymentSecretsImport.self],
        defaultSubcommand: DeploymentSecretsList.self)
}

/// `so deployment secrets list`.
struct DeploymentSecretsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the secrets by name, with their sources.")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let secrets = try await Host.look(directory, global: global).handle.secrets()
        Table(
            columns: ["name", "source", "exists"],
            rows: secrets.map {
                [.string($0.name), .string($0.source.rawValue), .plain($0.exists ? "true" : "false")]
            }
        ).print(output.format)
    }
}

/// `so deployment secrets rotate`.
struct DeploymentSecretsRotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Give a generated secret a new value and restart what uses it.")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var global: GlobalOptions

    @Flag(help: "Only change the value; the next start rolls what uses it.")
    var noStart = false

    @Argument(help: "The secret.")
    var name: String

    func run() async throws {
        if global.dryRun { return try await preview(Host.read(directory, global: global)) }
        let deployment = try directory.open()
        let progress = Progress(global: global)
        let result = try await Host.deployments.rotateSecret(name, of: deployment, starts: !noStart) {
            progress.handle($0)
        }
        if let result { Terminal.note(rolled: result, global: global) }
    }

    private func preview(_ deployment: DirectoryDeployment) async throws {
        guard try await deployment.handle.secrets().contains(where: { $0.name == name && $0.source == .generated })
        else {
            throw DeploymentError(.missing, "no generated secret named \(name)")
        }
        Terminal.output("rotate   secret   \(name)\n")
    }
}

extension Terminal {
    /// Says what became of what uses a changed secret.
    static func note(rolled result: StartResult, global: GlobalOptions) {
        guard !global.quiet else { return }
        note(result.changed ? "everything is ready" : "nothing uses it: everything is as it was")
    }
}
