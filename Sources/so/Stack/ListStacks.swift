import ArgumentParser
import Specs
import Stacks
import YAML

/// `so list-stacks`.
struct ListStacks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list-stacks", abstract: "List the stacks that --stack can name.",
        discussion: "They are built in, below ./stacks, or in a repository that fetch-stack fetched.")

    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() throws {
        Table(
            columns: ["name", "source", "description"],
            rows: try Host.resolver().list().map { stack in
                [.string(stack.name), .string(stack.source.text), .string(stack.summary ?? "")]
            }
        ).print(output.format)
    }
}

extension ResolvedStack.Source {
    /// Where the stack was found, in words.
    var text: String {
        switch self {
        case .builtIn: "built-in"
        case .external: "./stacks"
        case .fetched(let repository): repository
        case .deployment: "deployment"
        }
    }
}
