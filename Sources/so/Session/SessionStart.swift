import ArgumentParser
import Glibc
import Workspaces

/// `so session [start]`.
struct SessionStart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start an agent on a clone of the project.",
        usage: """
            so session [--agent <agent>] [--on-exit keep|merge|discard] [--detach] [-- <argument> ...]
            so session --prompt <text>|- [--agent <agent>] [--on-exit keep|merge|discard] [-- <argument> ...]
            """,
        discussion: """
            What the agent commits and leaves is collected when it ends: kept on the branch so/<session> (keep), merged into the branch that \
            the session began from (merge), or left out of the project (discard). --on-exit overrides `on-exit:` of workspace.yml, \
            which replaces the question at the terminal; without a terminal the work is kept.

            At a terminal, Ctrl-] then d detaches from the agent; `so session attach` returns to it.
            """)

    @Option(help: ArgumentHelp("The coding CLI (default: that of workspace.yml).", valueName: "agent"))
    var agent: String?

    @Option(help: ArgumentHelp("What becomes of the work: keep, merge or discard.", valueName: "policy"))
    var onExit: ExitPolicy?

    @Option(
        help: ArgumentHelp("Work on this prompt without a terminal; - reads it from standard input.", valueName: "text")
    )
    var prompt: String?

    @Flag(name: .shortAndLong, help: "Return when the agent has started, and print the session's id.")
    var detach = false

    @Option(help: ArgumentHelp("Clone this repository, and start in the clone.", valueName: "url"))
    var repository: String?

    @Argument(parsing: .postTerminator, help: "Arguments of the agent's CLI, behind --.")
    var arguments: [String] = []

    @OptionGroup var runtime: RuntimeOptions
    @OptionGroup var place: ProjectDirectory
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        guard detach || prompt != nil || Terminal.isInteractive else {
            throw ValidationError("no terminal for the agent: give it an instruction with --prompt, or --detach it")
        }
        let service = try await Host.payingSessions()
        let request = try await request()
        if global.dryRun { return try await describe(service, request) }
        await Host.takeUp(service)
        let record = try await service.start(request, events: SessionProgress(global).handle)
        if detach { return told(record) }
        let ending = SessionEnding(service: service, global: global)
        if prompt == nil { try await ending.attach(record) } else { try await ending.follow(record) }
    }

    private func request() async throws -> SessionRequest {
        var request = SessionRequest(directory: try place.project.path)
        if let repository {
            let clone = try ProjectClone(repository, in: request.directory)
            if !global.dryRun { try await Host.clone(clone, global: global) }
            request.directory = clone.directory
        }
        (request.agent, request.onExit, request.arguments) = (agent, onExit, arguments)
        request.runtime = try runtime.runtime
        request.prompt = prompt == "-" ? String(decoding: PipedInput.standardInput(), as: UTF8.self) : prompt
        if request.prompt?.allSatisfy(\.isWhitespace) == true {
            throw ValidationError("--prompt is empty: say what the agent is to do")
        }
        return request
    }

    private func told(_ record: SessionRecord) {
        Terminal.output("\(record.id)\n")
        let verb = record.prompt == nil ? "attach" : "logs --follow"
        if !global.quiet { Terminal.note("hint: so session \(verb) \(record.id)") }
    }

    private func describe(_ service: SessionService, _ request: SessionRequest) async throws {
        if let repository { Terminal.output("clone \(repository) into \(request.directory)\n") }
        guard repository == nil else { return }
        let plan = try await service.plan(request)
        Terminal.output("start \(plan.agent) on a clone of \(plan.project) at \(plan.commit.prefix(12))\n")
    }
}

extension ExitPolicy: ExpressibleByArgument {}

extension Terminal {
    /// Whether somebody sits at it: both of the streams that a terminal's program needs are one.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }
}
