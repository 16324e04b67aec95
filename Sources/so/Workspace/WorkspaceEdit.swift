import ArgumentParser
import Workspaces
import YAML

/// `so workspace edit`.
struct WorkspaceEdit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Edit workspace.yml: by questions at the terminal, or by flags.",
        discussion:
            "Comments of the file are not kept.")

    @Flag(name: .shortAndLong, help: "Ask nothing: only the flags change.")
    var yes = false

    @OptionGroup var definition: DefinitionOptions
    @OptionGroup var place: ProjectDirectory
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let project = try place.project
        let file = DefinitionFile(project)
        guard file.exists else {
            throw WorkspaceError(
                .missing, "no \(project.definitionFile)", hint: "make it: so workspace init")
        }
        let hasFlags = definition.flags.node.mapping?.entries.isEmpty == false
        try WorkspaceQuestions(project: project, flags: definition.flags, isAnswered: yes || hasFlags, global: global)
            .write(over: try file.node())
    }
}
