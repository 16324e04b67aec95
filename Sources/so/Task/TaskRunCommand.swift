import AgentLoop
import ArgumentParser
import Runtimes
import Workspaces
import YAML

/// `so task run`.
struct TaskRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the tasks of a file in the project's workspace, or in a session.",
        discussion: """
            The file is a JSON list of tasks, or {"parallel": N, "tasks": [...]}; so schema tasks has its keys. Tasks begin in the order of \
            their depends-on. Exit code 1 where one failed; -o json prints every result with its output.
            """)

    @Argument(help: "The file with the tasks; - reads it from standard input.")
    var file: String

    @Flag(help: "Run them in the project's lasting workspace (the default).")
    var workspace = false

    @Option(help: ArgumentHelp("Run them in this session.", valueName: "session"))
    var session: String?

    @Option(help: ArgumentHelp("How many run at a time (default: the file's number, else 1).", valueName: "number"))
    var parallel: Int?

    @OptionGroup var place: ProjectDirectory
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if workspace && session != nil { throw ValidationError("give one of --workspace and --session") }
        if let parallel, !(1...64).contains(parallel) {
            throw ValidationError("invalid number `\(parallel)`: --parallel takes 1 to 64")
        }
    }

    func run() async throws {
        let list = try TaskList(try bytes(), file: file == "-" ? "standard input" : file)
        if global.dryRun { return list.tasks.forEach { Terminal.output("run \($0.id)\n") } }
        let results: [TaskResult]
        if let session {
            let (service, record) = try await Host.session(session, place: place)
            results = try await run(list, in: try service.taskPlace(record, try Host.workspaces()))
        } else {
            results = try await WorkspaceUse(try place.project, global.quieted).run { service, record in
                try await run(list, in: try service.taskPlace(record))
            }
        }
        print(results)
        let failed = results.filter(\.isFailure).map(\.id)
        guard failed.isEmpty else {
            throw WorkspaceError(
                .failed, "failed: \(failed.joined(separator: ", "))", hint: "see their output with -o json")
        }
    }

    private func bytes() throws -> [UInt8] {
        if file == "-" { return PipedInput.standardInput() }
        return try Files.read(Files.absolute(file))
    }

    private func run(_ list: TaskList, in place: TaskPlace) async throws -> [TaskResult] {
        let printer = TaskPrinter(global)
        return try await TaskRun(list, in: place, parallel: parallel).run { printer.print($0) }
    }

    private func print(_ results: [TaskResult]) {
        guard output.format == .table else {
            let node = Node.map([
                ("succeeded", .plain("\(!results.contains { $0.state != .succeeded })")),
                ("tasks", .list(results.map(\.node))),
            ])
            return Terminal.output(output.format == .json ? node.json(pretty: true) + "\n" : node.yaml())
        }
        Table(
            columns: ["task", "state", "exit-code", "attempts", "seconds"],
            rows: results.map { result in
                ["id", "state", "exit-code", "attempts", "seconds"].map { result.node.mapping?[$0] ?? .plain("null") }
            }
        ).print(.table)
    }
}
