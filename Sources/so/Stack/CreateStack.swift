import ArgumentParser
import Compose
import ExternalTools
import Runtimes
import Stacks
import YAML

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

            --from-compose runs a compose file of this repository where it stands: nothing is copied or rewritten. No file \
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
        let name = try checkedStackName(name)
        let root = try rootDirectory()
        let files =
            try fromCompose.map { try including($0, as: name, root: root) }
            ?? newStack(name, template: template ?? .service)
        try refuseExisting(files, root: root)
        if global.dryRun { return files.forEach { Terminal.output("\(root)/\($0.path)\n") } }
        for file in files {
            try Files.makeDirectory(Files.parent(of: "\(root)/\(file.path)"))
            try Files.write(Array(file.text.utf8), to: "\(root)/\(file.path)", mode: file.isExecutable ? 0o755 : 0o644)
        }
        guard !global.quiet else { return }
        for file in files { Terminal.note("wrote \(shown(root))\(file.path)") }
        let stack = shellQuoted("\(shown(root).isEmpty ? "./" : shown(root))stacks/\(name)")
        if files.contains(where: { $0.path.hasPrefix("container-build/") }) {
            Terminal.note("next: so build-containers --stack \(stack)")
        } else {
            Terminal.note("next: so validate-stack \(stack)")
        }
        Terminal.note("then: so deploy init --stack \(stack) --output spec.yml")
    }

    /// The root to write to: where stacks are already kept, in a place that `--stack` finds, else the directory itself.
    private func rootDirectory() throws -> String {
        let base = Files.canonical(directory ?? ".")
        guard Files.isDirectory(base) else {
            throw DeploymentError(.missing, "no directory \(base)", hint: "make it, or correct --directory")
        }
        let places = ["", "/stack-orchestrator", "/stack_orchestrator/data"].map { base + $0 }
        return places.first { Files.isDirectory("\($0)/stacks") } ?? base
    }

    /// The root as a user reads it: empty for the working directory.
    private func shown(_ root: String) -> String {
        let here = Files.canonical(".")
        if root == here { return "" }
        return root.hasPrefix(here + "/") ? "\(root.dropFirst(here.count + 1))/" : "\(root)/"
    }

    private func including(_ composeFile: String, as name: String, root: String) throws -> [NewStackFile] {
        let path = Files.canonical(composeFile)
        guard Files.exists(path) else {
            throw DeploymentError(.missing, "no file \(composeFile)", hint: "correct --from-compose")
        }
        guard path.hasPrefix(root == "/" ? root : root + "/") else {
            throw DeploymentError(
                .cannotCreate, "\(path) lies outside the stack's root \(root)",
                hint: "run this in the compose file's repository, or name its directory with --directory")
        }
        var diagnostics = Diagnostics()
        var options = LoadOptions()
        options.homeDirectory = Host.environment["HOME"]
        options.requiresInputs = false
        _ = loadProject(files: [path], options: options, tree: .disk, diagnostics: &diagnostics)
        // What stands in another file's way is told here, before a stack is made of it.
        try diagnostics.throwIfErrors()
        return newStack(name, composeFile: String(path.dropFirst(root == "/" ? 1 : root.count + 1)))
    }

    private func refuseExisting(_ files: [NewStackFile], root: String) throws {
        let others = files.map(\.path).filter { !$0.hasPrefix("stacks/\(name)/") }
        let taken = (["stacks/\(name)"] + others).filter { Files.exists("\(root)/\($0)") }
        guard !taken.isEmpty else { return }
        let verb = taken.count == 1 ? "exists" : "exist"
        throw DeploymentError(
            .cannotCreate, "\(taken.map { shown(root) + $0 }.joined(separator: ", ")) \(verb) already",
            hint: "take another name, or remove what is there")
    }
}

extension StackTemplate: ExpressibleByArgument {}
