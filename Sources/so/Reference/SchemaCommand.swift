import ArgumentParser
import Stacks
import YAML

/// `so schema`.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of stack.yml or spec.yml, for editors.",
        discussion: """
            Editors with the YAML language server check and complete a file whose first line is

              # yaml-language-server: $schema=spec.schema.json

            after `so schema spec > spec.schema.json`.
            """)

    @Argument(help: "stack or spec.")
    var document: DocumentSchema

    @OptionGroup var global: GlobalOptions

    func run() {
        Terminal.output(document.node.json(pretty: true) + "\n")
    }
}

extension DocumentSchema: ExpressibleByArgument {}
