import ArgumentParser

/// A verb on a stack that `so deploy up` runs: the verb of `so deployment` of that name, on the directory kept for the stack.
protocol DirectVerb: AsyncParsableCommand {
    associatedtype Verb: AsyncParsableCommand
    var direct: DirectOption { get }
    var rest: [String] { get }
}

extension DirectVerb {
    func run() async throws {
        try await run(in: direct.existing())
    }

    fileprivate func run(in directory: String) async throws {
        // A command that runs in a container has options of its own.
        let arguments =
            Verb.self == DeploymentExec.self ? Array(ArgumentOrder.marked(rest[...], DeploymentExec.self)) : rest
        var verb = try Verb.parse(["--dir", directory] + arguments)
        try await verb.run()
    }
}

/// `so deploy down`.
struct DeployDown: DirectVerb {
    typealias Verb = DeploymentStop

    static let configuration = CommandConfiguration(
        commandName: "down",
        abstract: "Stop a stack that `so deploy up` runs; takes the options of `so deployment stop`.",
        aliases: ["stop"])

    @OptionGroup var direct: DirectOption

    @Argument(parsing: .allUnrecognized, help: "Such as --delete-volumes.")
    var rest: [String] = []

    /// What never was up is down.
    func run() async throws {
        guard let directory = try direct.existingIfAny() else { return Terminal.note("it is not up") }
        try await run(in: directory)
    }
}

/// `so deploy ps`.
struct DeployPs: DirectVerb {
    typealias Verb = DeploymentPs

    static let configuration = CommandConfiguration(
        commandName: "ps", abstract: "List the pods of a stack that `so deploy up` runs, as `so deployment ps`.")

    @OptionGroup var direct: DirectOption

    @Argument(parsing: .allUnrecognized, help: "Such as -o json.")
    var rest: [String] = []
}

/// `so deploy status`.
struct DeployStatus: DirectVerb {
    typealias Verb = DeploymentStatus

    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the status of a stack that `so deploy up` runs, as `so deployment status`.")

    @OptionGroup var direct: DirectOption

    @Argument(parsing: .allUnrecognized, help: "Such as -o json.")
    var rest: [String] = []
}

/// `so deploy port`.
struct DeployPort: DirectVerb {
    typealias Verb = DeploymentPort

    static let configuration = CommandConfiguration(
        commandName: "port", abstract: "Print where a port is published, as `so deployment port`.")

    @OptionGroup var direct: DirectOption

    @Argument(parsing: .allUnrecognized, help: "The service and its port, such as web 80.")
    var rest: [String] = []
}

/// `so deploy logs`.
struct DeployLogs: DirectVerb {
    typealias Verb = DeploymentLogs

    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Print the log lines of a stack that `so deploy up` runs, as `so deployment logs`.")

    @OptionGroup var direct: DirectOption

    @Argument(parsing: .allUnrecognized, help: "Such as -f, -n 10, or services.")
    var rest: [String] = []
}

/// `so deploy exec`.
struct DeployExec: DirectVerb {
    typealias Verb = DeploymentExec

    static let configuration = CommandConfiguration(
        commandName: "exec", abstract: "Run a command in a service of a stack that `so deploy up` runs.",
        usage: "so deploy exec --stack <stack> [-it] [--user <user>] <service> <command> ...")

    @OptionGroup var direct: DirectOption

    @Argument(parsing: .captureForPassthrough, help: "The service, the command and its arguments.")
    var rest: [String] = []
}
