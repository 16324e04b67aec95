import ArgumentParser

/// The options that every command takes.
struct GlobalOptions: ParsableArguments {
    @Flag(name: .long, help: "Say more about what is done.")
    var verbose = false

    @Flag(name: .long, help: "Print results and errors only.")
    var quiet = false

    @Flag(name: .long, help: "Print every program that is run, with its arguments.")
    var debug = false

    @Flag(name: .long, help: "Say what would be done, and do nothing.")
    var dryRun = false

    @Flag(name: .long, help: "Print without colours (as NO_COLOR does).")
    var noColor = false
}

/// The deployment that a command is about.
struct DirectoryOption: ParsableArguments {
    @Option(name: .customLong("dir"), help: "The deployment directory.")
    var directory: String
}

/// The stack that a command is about.
struct StackOption: ParsableArguments {
    @Option(name: .long, help: "The stack: a path, or the name of a built-in or fetched stack.")
    var stack: String
}

/// How a listing is printed.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case table
    case json
    case yaml
}

/// The form of a listing.
struct OutputOption: ParsableArguments {
    @Option(name: [.customShort("o"), .customLong("output")], help: "table, json or yaml.")
    var format: OutputFormat = .table
}
