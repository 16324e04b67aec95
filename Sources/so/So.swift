import ArgumentParser

/// The `so` command: every verb stands in a file of its own, in a folder a noun.
@main
struct So: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "so",
        abstract: "Run stacks of compose files as real pods: with podman, on kind, or on any Kubernetes.",
        discussion: """
            Beside a compose.yaml, as docker compose:

              so up
              so down

            A stack, as a deployment that stays, in four commands:

              so deploy init --stack demo --output spec.yml
              so deploy create --spec-file spec.yml --deployment-dir demo
              so deployment --dir demo start
              so deployment --dir demo stop

            Every command takes --verbose, --quiet, --debug, --dry-run and --no-color. They, and options such as --stack, --dir
            and --deploy-to, may stand before or after the subcommand.
            """,
        version: Version.description,
        subcommands: [
            Up.self, Down.self, Ps.self, Logs.self, Exec.self, Run.self, Start.self, Stop.self, Restart.self, Port.self,
            DeployCommand.self,
            DeployWebapp.self,
            DeploymentCommand.self,
            Auth.self,
            Cluster.self,
            ConfigCommand.self,
            Render.self,
            FetchStack.self,
            SetupRepositories.self,
            BuildContainers.self,
            FetchContainers.self,
            WorkspaceCommand.self,
            SessionCommand.self,
            TaskCommand.self,
            AgentCommand.self,
            SettingsCommand.self,
            OrchestratorCommand.self,
            CredentialsCommand.self,
            ListStacks.self,
            CreateStack.self,
            ValidateStack.self,
            DoctorCommand.self,
            SchemaCommand.self,
            Manual.self,
            VersionCommand.self,
            Completion.self,
            YAMLToJSON.self,
        ])

    // No options of its own: the parser stops looking for the root's options at any word that is also one of its subcommands that pass
    // arguments through, such as `exec` in `deployment exec`, and gives the root's values to every command behind it.

    static func main() async {
        let arguments = ArgumentOrder(root: So.self).hoisted(Array(CommandLine.arguments.dropFirst()))
        do {
            try await Interrupts.run(arguments)
        } catch {
            Failure.exit(error, arguments: arguments)
        }
    }
}
