import ArgumentParser
import Deployments
import Specs
import Stacks

/// The options that every command takes.
struct GlobalOptions: ParsableArguments {
    @Flag(name: .long, help: "Print more details.")
    var verbose = false

    @Flag(name: .long, help: "Print results and errors only.")
    var quiet = false

    @Flag(name: .long, help: "Print every program that is run, with its arguments.")
    var debug = false

    @Flag(name: .long, help: "Print what would be done, and do nothing.")
    var dryRun = false

    @Flag(name: .long, help: "Print without colours (as NO_COLOR does).")
    var noColor = false
}

extension GlobalOptions {
    /// The flags as another command takes them.
    var arguments: [String] {
        [
            (verbose, "--verbose"), (quiet, "--quiet"), (debug, "--debug"), (dryRun, "--dry-run"),
            (noColor, "--no-color"),
        ].filter(\.0).map(\.1)
    }

    /// The same, with results and errors only.
    var quieted: GlobalOptions {
        var options = self
        options.quiet = true
        return options
    }
}

/// The deployment that a command is about.
struct DirectoryOption: ParsableArguments {
    @Option(
        name: .customLong("dir"),
        help: "The deployment directory (default: the one that you are in, then SO_DEPLOYMENT_DIR).")
    var written: String?

    /// One that is open already, with what the command line asks of it.
    private var opened: DeploymentDirectory?

    private enum CodingKeys: String, CodingKey { case written }

    init() {}

    init(_ directory: String) { written = directory }

    init(_ opened: DeploymentDirectory) {
        (written, self.opened) = (opened.root, opened)
    }

    /// - Throws: `ValidationError` where none is named and none is found; `DeploymentError` where it is none.
    func open() throws -> DeploymentDirectory { try opened ?? .open(directory) }

    /// - Throws: `ValidationError` where none is named and none is found.
    var directory: String {
        get throws {
            if let found = written ?? Host.deployment { return found }
            throw ValidationError(
                "which deployment? Go to its directory, name it with --dir, or set SO_DEPLOYMENT_DIR")
        }
    }
}

/// The stack that a command is about.
struct StackOption: ParsableArguments {
    @Option(name: .long, help: "The stack: a path, or the name of a built-in or fetched stack.")
    var stack: String
}

/// The stack that a command is about, or all of them.
struct StacksOption: ParsableArguments {
    @Option(
        name: .long,
        help: "The stack: a path, or the name of a built-in or fetched stack (default: all that list-stacks shows).")
    var stack: String?

    /// The stacks that are meant.
    func resolved(_ resolver: StackResolver) throws -> [ResolvedStack] {
        if let stack { return [try resolver.resolve(stack)] }
        return try resolver.list().map { try resolver.resolve($0.directory) }
    }
}

/// How a listing is printed.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case table
    case json
    case yaml
}

/// The form of a listing.
struct OutputOption: ParsableArguments {
    @Option(
        name: [.customShort("o"), .customLong("output"), .customLong("format")],
        help: ArgumentHelp("table, json or yaml.", valueName: "format"))
    var format: OutputFormat = .table
}
