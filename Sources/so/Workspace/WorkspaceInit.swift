import ArgumentParser
import Glibc
import Workspaces
import YAML

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

    @Flag(help: "Write over a workspace.yml that exists.")
    var force = false

    @Option(help: ArgumentHelp("Take over .clauded.yaml, .clave.json or a devcontainer.json.", valueName: "file"))
    var from: String?

    @OptionGroup var definition: DefinitionOptions
    @OptionGroup var place: ProjectDirectory
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let project = try place.project
        let file = DefinitionFile(project)
        guard force || !file.exists else {
            throw WorkspaceError(
                .cannotCreate, "\(project.definitionFile) exists already",
                hint: "change it with so workspace edit, or write it anew with --force")
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
}

/// `so workspace edit`.
struct WorkspaceEdit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change workspace.yml: by the same questions, or by flags.",
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
                .missing, "there is no \(project.definitionFile)", hint: "make it: so workspace init")
        }
        let hasFlags = definition.flags.node.mapping?.entries.isEmpty == false
        try WorkspaceQuestions(project: project, flags: definition.flags, isAnswered: yes || hasFlags, global: global)
            .write(over: try file.node())
    }
}

/// Asks what flags have not said, and writes workspace.yml.
struct WorkspaceQuestions {
    var project: Project
    var flags: DefinitionFlags
    /// Whether everything that is not asked for keeps its default.
    var isAnswered: Bool
    var global: GlobalOptions

    func write(over defaults: Node) throws {
        var node = DefinitionFile.laid(flags.node, over: defaults)
        if !isAnswered {
            let context = try Host.workspaces()
            let wizard = Wizard(
                defaults: node, given: flags, templates: try context.templates(of: project).list().map(\.name),
                agents: context.agentNames())
            guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { throw wizard.missingFlags }
            node = wizard.applied(try WizardScreen(wizard: wizard, global: global).answers())
        }
        let file = DefinitionFile(project)
        let text = try file.text(node)
        if global.dryRun { return Terminal.output(text) }
        try file.write(node)
        if !global.quiet {
            Terminal.note("wrote \(project.definitionFile)" + hintLine("next: so workspace image build"))
        }
    }
}
