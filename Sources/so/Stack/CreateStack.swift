import ArgumentParser
import Deployments
import ExternalTools
import Stacks

/// `so create-stack`.
struct CreateStack: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create-stack", abstract: "Create a stack from a template, or from an existing compose file.",
        discussion: """
            Templates:
              web-app    a web server with pages of its own, in an image that the stack builds
              service    one service of a published image, with a health check and a file of config (default)
              database   a web service and a PostgreSQL with a volume and a generated password
              empty      a stack.yml and nothing to run yet

            --from-compose runs a compose file of this repository where it is: nothing is copied or rewritten. No file \
            that exists is ever changed.
            """)

    @Argument(help: "The stack's name, and its directory's.")
    var name: String

    @Option(help: ArgumentHelp("web-app, service, database or empty.", valueName: "template"))
    var template: StackTemplate?

    @Option(help: ArgumentHelp("The compose file that the stack runs.", valueName: "file"))
    var fromCompose: String?

    @Option(help: "The root directory of stacks/, compose/ and config/ (default: the working directory).")
    var directory: String?

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if template != nil && fromCompose != nil {
            throw ValidationError("--template and --from-compose contradict each other")
        }
    }

    func run() throws {
        var request = NewStackRequest(
            name: name, fromCompose.map { .composeFile($0) } ?? .template(template ?? .service))
        request.directory = directory
        let stack = try Host.deployments.newStack(request)
        if global.dryRun { return stack.files.forEach { Terminal.output("\(stack.root)/\($0.path)\n") } }
        try stack.write()
        if !global.quiet { report(stack) }
    }

    private func report(_ stack: NewStack) {
        for file in stack.files { Terminal.note("wrote \(stack.shownRoot)\(file.path)") }
        let path = shellQuoted("\(stack.shownRoot.isEmpty ? "./" : stack.shownRoot)stacks/\(stack.name)")
        Terminal.note("next: so \(stack.buildsImages ? "build-containers --stack " : "validate-stack ")\(path)")
        Terminal.note("then: so deploy init --stack \(path) --output spec.yml")
    }
}

extension StackTemplate: ExpressibleByArgument {}
