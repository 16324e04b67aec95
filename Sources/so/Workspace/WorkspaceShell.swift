import ArgumentParser
import Workspaces

/// `so workspace [shell]`.
struct WorkspaceShell: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell",
        abstract: "Open a shell in the project's workspace; build and start first what is missing.",
        discussion: """
            Without a workspace.yml its questions are asked; without an image it is built; a stopped workspace is started. The workspace stops \
            when its last terminal leaves, unless `keep-running: true` or `so workspace up --detach` keeps it.
            """)

    @OptionGroup var place: ProjectDirectory
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let project = try place.project
        let needsQuestions = try WorkspaceUse.needsQuestions(project)
        if needsQuestions {
            try WorkspaceQuestions(project: project, flags: DefinitionFlags(), isAnswered: false, global: global)
                .write(over: Detection(project).node)
        }
        if global.dryRun { return Terminal.output("open a shell in the workspace of \(project.path)\n") }
        guard Terminal.isInteractive else {
            throw ValidationError("a shell needs a terminal: so workspace up --detach, or so workspace exec COMMAND")
        }
        let status = try await WorkspaceUse(project, global).run { service, record in
            try await service.shell(record, on: .ofThisProcess, term: Terminal.environment("TERM"))
        }
        if status != 0 { throw ExitCode(Int32(truncatingIfNeeded: status)) }
    }
}
