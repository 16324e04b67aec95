import Glibc
import Specs
import Workspaces
import YAML

/// Asks what flags have not said, and writes workspace.yml.
struct WorkspaceQuestions {
    var project: Project
    var flags: DefinitionFlags
    /// Whether everything that is not asked for keeps its default.
    var isAnswered: Bool
    var global: GlobalOptions

    func write(over defaults: Node) throws {
        if flags.image != nil, flags.template != nil {
            throw WorkspaceError(.invalid, "--image and --template exclude each other", hint: "give one of them")
        }
        var node = DefinitionFile.laid(flags.node, over: defaults)
        if !isAnswered {
            let context = try Host.workspaces()
            // What the user has set for all projects is what they most likely want here.
            if node.text("agent") == nil, let agent = try context.settingsStore.load().definition?.node.text("agent") {
                node = DefinitionFile.laid(node, over: .map([("agent", .string(agent))]))
            }
            let wizard = Wizard(
                defaults: node, given: flags, templates: try context.templates(of: project).list().map(\.name),
                agents: context.agentNames())
            guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { throw wizard.missingFlags }
            node = wizard.applied(try WizardScreen(wizard: wizard, global: global).answers())
        }
        let file = DefinitionFile(project)
        let text = try file.text(node)
        let faults = try Host.workspaces().faults(of: node, in: project)
        guard faults.isEmpty else { throw InvalidInput(faults) }
        guard flags.variables.isEmpty, flags.variableFile == nil else {
            throw WorkspaceError(
                .invalid,
                "--set and --env-file are of so workspace image build and template render: workspace.yml holds no variables of templates",
                hint: "leave them out")
        }
        if global.dryRun { return Terminal.output(text) }
        try file.write(node)
        if !global.quiet {
            Terminal.note("wrote \(project.definitionFile)" + hintLine("next: so workspace image build"))
        }
    }
}
