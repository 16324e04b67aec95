import ArgumentParser
import Workspaces

/// `so workspace init`.
struct WorkspaceInit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write workspace.yml: by questions at the terminal, or by flags.",
        discussion: """
            The questions' defaults are what the project's own files ask for (so workspace detect). --yes takes them without asking; \
            every answer has a flag, and a flag's question is not asked.

            Languages and versions: \(Language.all.listing).
            """)

    @Flag(name: .shortAndLong, help: "Take the defaults without asking.")
    var yes = false

    @Flag(help: "Overwrite an existing workspace.yml.")
    var force = false

    @Option(help: ArgumentHelp("Take over .clauded.yaml, .clave.json or a devcontainer.json.", valueName: "file"))
    var from: String?

    @Option(help: ArgumentHelp("Clone this repository first, and write workspace.yml there.", valueName: "url"))
    var repository: String?

    @Argument(help: "The clone's directory (default: the repository's name).")
    var name: String?

    @OptionGroup var definition: DefinitionOptions
    @OptionGroup var place: ProjectDirectory
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if let name, repository == nil {
            throw ValidationError("unexpected argument `\(name)`: a name belongs to --repository")
        }
    }

    func run() async throws {
        guard let project = try await project() else { return }
        let file = DefinitionFile(project)
        guard force || !file.exists else {
            throw WorkspaceError(
                .cannotCreate, "\(project.definitionFile) exists already",
                hint: "change it with so workspace edit, or write it again with --force")
        }
        var proposal = Detection(project).node
        if let from {
            let taken = try TakenOver(file: from, project: project)
            Diagnoses.print(taken.warnings)
            proposal = DefinitionFile.laid(taken.node, over: proposal)
        }
        try WorkspaceQuestions(
            project: project, flags: definition.flags, isAnswered: yes || from != nil, global: global
        )
        .write(over: proposal)
    }

    /// Nil where nothing is to be done but say it.
    private func project() async throws -> Project? {
        guard let repository else { return try place.project }
        let clone = try ProjectClone(repository, name: name, in: try place.project.path)
        if global.dryRun {
            Terminal.output("clone \(repository) into \(clone.directory)\n")
            return nil
        }
        try await Host.clone(clone, global: global)
        return try Project(clone.directory)
    }
}
