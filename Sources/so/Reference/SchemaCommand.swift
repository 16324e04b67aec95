import ArgumentParser
import Orchestrator
import Specs
import Workspaces
import YAML

/// `so schema`.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of a document, for editors.",
        discussion: """
            Editors with the YAML language server check and complete a file whose first line is

              # yaml-language-server: $schema=spec.schema.json

            after `so schema spec > spec.schema.json`.
            """)

    @Argument(help: "stack, spec, workspace, tasks, tasking, reporting or orchestrator.")
    var document: SchemaDocument

    @OptionGroup var global: GlobalOptions

    func run() {
        Terminal.output(document.node.json(pretty: true) + "\n")
    }
}

/// The documents that have a JSON Schema.
enum SchemaDocument: String, ExpressibleByArgument, CaseIterable {
    case stack
    case spec
    case workspace
    case tasks
    case tasking
    case reporting
    case orchestrator

    var node: Node {
        switch self {
        case .stack: DocumentSchema.stack.node
        case .spec: DocumentSchema.spec.node
        case .orchestrator: Shape.orchestrator.document(titled: "orchestrator.yml of so")
        case .workspace: Shape.workspace.document(titled: "workspace.yml of so")
        case .tasks: Shape.tasksDocument.document(titled: "tasks.json of so task run")
        case .tasking: Shape.tasking.document(titled: "tasking.yaml of so")
        case .reporting: Shape.reporting.document(titled: "reporting.yaml of so")
        }
    }
}
