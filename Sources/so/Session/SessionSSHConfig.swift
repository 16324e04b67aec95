import ArgumentParser
import Workspaces

/// `so session ssh-config`.
struct SessionSSHConfig: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ssh-config", abstract: "Print the section of ~/.ssh/config for connecting to a session.",
        discussion: """
            ssh, scp and editors go through an exec of the session's pod: no port is opened, and each session has keys of its own.

              so session ssh-config s-1a2b3c4d > ~/.ssh/so.conf   # once: Include so.conf at the top of ~/.ssh/config
              ssh s-1a2b3c4d

            The image needs an ssh server: `tools: [ssh-server]` in workspace.yml.
            """)

    @OptionGroup var choice: SessionChoice
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let (service, record) = try await choice.open()
        if global.dryRun { return Terminal.output("prepare session \(record.id) for ssh\n") }
        let access = try await service.prepareSSH(record, executable: try Host.program)
        Terminal.output(access.configuration)
    }
}
