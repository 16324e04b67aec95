import ArgumentParser
import Deployments
import FoundationEssentials
import Runtimes

/// `so up`.
struct Up: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Run the project: build what has no image, start everything, follow the logs.",
        discussion: """
            The project is what docker compose would take: compose.yaml here or in a directory above, the files of -f or \
            COMPOSE_FILE, with .env and your environment. Beside a stack.yml it is that stack, in a deployment directory that \
            deployment. It runs on podman; folders of the project are mounted as they are.

            It waits until everything is ready, also with -d. Without -d the logs follow, and Ctrl-C stops the project. The \
            deployment is kept in $XDG_STATE_HOME/so/deployments/<project> (default ~/.local/state).
            """)

    @OptionGroup var place: PlaceOptions
    @OptionGroup var global: GlobalOptions
    @OptionGroup var attachment: UpAttachment
    @OptionGroup var recreation: UpRecreation

    @Flag(help: "Build all images, also those that exist.")
    var build = false

    @Flag(help: "Build nothing.")
    var noBuild = false

    @Option(help: ArgumentHelp("Ask registries for images: always, missing or never.", valueName: "policy"))
    var pull: PullChoice?

    @Flag(help: .hidden)
    var quietPull = false

    @Flag(help: .hidden)
    var quietBuild = false

    @Flag(help: "Remove containers of services that the files no longer define.")
    var removeOrphans = false

    @Option(
        help: ArgumentHelp("Run this many replicas of a service; repeat it for more.", valueName: "service=number"))
    var scale: [ServiceScale] = []

    @Option(
        name: [.customShort("t"), .long],
        help: ArgumentHelp(
            "Seconds to wait for services that are replaced or stopped before they are killed.", valueName: "seconds"))
    var timeout: Int?

    @Argument(help: "Only these services and what they depend on.")
    var services: [String] = []

    func run() async throws {
        let begin = Date()
        if global.dryRun { return try await place.preview(project, request, global: global) }
        let option = try await place.prepare(project, global: global)
        do {
            try await within(seconds: attachment.limit.seconds) { try await option.start(request, global: global) }
        } catch let error as DeploymentError where error.code == .failed {
            guard let condition = attachment.condition else { throw error }
            return try await end(option, condition, after: error)
        }
        guard !attachment.isDetached else { return }
        try await follow(option, since: begin)
    }

    private var project: ProjectUp {
        var project = ProjectUp(services: services, builds: noBuild ? .never : build ? .always : .missing)
        project.scale = Dictionary(scale.map { ($0.service, $0.count) }) { $1 }
        return project
    }

    private var request: StartRequest {
        var request = StartRequest(services: services)
        request.recreation = recreation.value
        request.options.pull = pull
        request.options.graceSeconds = timeout
        request.options.keepsOrphans = !removeOrphans
        return request
    }

    /// Prints the logs until nothing runs any more, or until an interrupt, which stops the project.
    private func follow(_ directory: DirectoryOption, since begin: Date) async throws {
        Interrupts.beginFollowing()
        if !global.quiet { Terminal.note("following the logs; Ctrl-C stops the project (up -d leaves it running)") }
        let opened = try Host.read(directory, global: global)
        let since = begin.formatted(.iso8601)
        do {
            if let condition = attachment.condition {
                let ended = try await opened.handle.firstEnd(condition, of: services, since: since) {
                    try await attachment.print($0, opened, global: global)
                }
                return try await end(directory, condition, with: ended)
            }
            try await attachment.follow(opened, of: services, since: since, global: global)
        } catch  where Task.isCancelled {}
        guard Task.isCancelled else { return }
        Terminal.note("stopping; Ctrl-C once more to leave at once")
        try await stop(directory)
    }

    /// Stops everything, and ends with the exit code that counts.
    private func end(_ directory: DirectoryOption, _ condition: AbortCondition, with ended: String?) async throws {
        let code = try await Host.read(directory, global: global).handle.exitCode(condition, ended: ended)
        if let ended, !global.quiet { Terminal.note("\(ended) has ended: stopping the others") }
        try await stop(directory)
        if code != 0 { throw ExitCode(Int32(truncatingIfNeeded: code)) }
    }

    /// The container whose end everything was to end with may end before all the others are ready.
    private func end(
        _ directory: DirectoryOption, _ condition: AbortCondition, after error: DeploymentError
    ) async throws {
        let handle = try Host.read(directory, global: global).handle
        guard let code = try await handle.exitCode(condition, after: error) else { throw error }
        Failure.print(error)
        try await stop(directory)
        throw ExitCode(Int32(truncatingIfNeeded: code))
    }

    /// A cancelled task could not wait for the services' ends.
    private func stop(_ directory: DirectoryOption) async throws {
        let stop = ["--dir", try directory.directory] + (timeout.map { ["--timeout", "\($0)"] } ?? [])
        try await Task {
            let command = try DeploymentStop.parse(stop + global.arguments)
            try await command.run()
        }.value
    }
}

extension PlaceOptions {
    /// Makes or refreshes the deployment of what is in this directory.
    func prepare(_ project: ProjectUp, global: GlobalOptions) async throws -> DirectoryOption {
        let (found, tree) = try find()
        let progress = Progress(global: global)
        let directory = try await Host.deployments.prepare(found, tree: tree, project) { progress.handle($0) }
        return DirectoryOption(directory.root)
    }

    /// Prints what a start would do; makes nothing.
    func preview(_ project: ProjectUp, _ request: StartRequest, global: GlobalOptions) async throws {
        let existing = try deployment()?.open()
        let (found, tree) = try find()
        let progress = Progress(global: global)
        let preview = try await Host.deployments.preview(found, tree: tree, project, request, existing: existing) {
            progress.handle($0)
        }
        switch preview {
        case .plan(let plan): Terminal.output(plan.description + "\n")
        case .newDeployment: Terminal.output("create   the deployment of \(Host.workingDirectory)\n")
        case .newPods(let names): for name in names { Terminal.output("create   pod      \(name)\n") }
        }
    }
}

extension DirectoryOption {
    /// Starts these services, or all, and says where they answer.
    func start(_ request: StartRequest, global: GlobalOptions) async throws {
        let deployment = try open()
        let progress = Progress(global: global)
        if global.dryRun {
            let plan = try await Host.deployments.plan(deployment, request) { progress.handle($0) }
            return Terminal.output(plan.description + "\n")
        }
        let result = try await Host.deployments.start(deployment, request, verb: "up") { progress.handle($0) }
        Terminal.note(result, global: global)
    }
}
