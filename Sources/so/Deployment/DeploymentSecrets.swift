import ArgumentParser
import Deployments
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
        commandName: "list", abstract: "List the secrets by name, with where they come from.")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let secrets = try await OpenDeployment(directory, global: global).handle.secrets()
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
        try await OpenDeployment.locked(directory, verb: "deployment secrets rotate", global: global) { deployment in
            if global.dryRun { return try await preview(deployment) }
            try await deployment.handle.rotateSecret(name)
            if !global.quiet { Terminal.note("\(name) has a new value") }
            let isRunning = try await deployment.handle.ps().contains { $0.state == .running }
            guard isRunning, !noStart else { return }
            try await deployment.roll(global: global)
        }
    }

    private func preview(_ deployment: OpenDeployment) async throws {
        guard try await deployment.handle.secrets().contains(where: { $0.name == name && $0.source == .generated })
        else {
            throw DeploymentError(.missing, "no generated secret named \(name)")
        }
        Terminal.output("rotate   secret   \(name)\n")
    }
}

extension OpenDeployment {
    /// Replaces what uses a changed secret, and waits until it is ready.
    func roll(global: GlobalOptions) async throws {
        let progress = Progress(global: global)
        let result = try await handle.start { progress.handle($0) }
        guard !global.quiet else { return }
        Terminal.note(result.changed ? "everything is ready" : "nothing uses it: everything is as it was")
    }
}
