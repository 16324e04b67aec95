import ArgumentParser
import Deployments
import FoundationEssentials

/// `so up`.
struct Up: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Run the project: build what has no image, start everything, follow the logs.",
        discussion: """
            The project is what docker compose would take: compose.yaml here or in a directory above, the files of -f or \
            COMPOSE_FILE, with .env and your environment. Beside a stack.yml it is that stack, in a deployment directory that \
            deployment. It runs on podman; folders of the project are mounted as they stand.

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

    @Flag(help: "Remove containers of services that the files have no more.")
    var removeOrphans = false

    @Option(
        help: ArgumentHelp("Run this many replicas of a service; repeat it for more.", valueName: "service=number"))
    var scale: [ServiceScale] = []

    @Option(
        name: [.customShort("t"), .long],
        help: ArgumentHelp("Seconds to let services end that are replaced or stopped.", valueName: "seconds"))
    var timeout: Int?

    @Argument(help: "Only these services and what they depend on.")
    var services: [String] = []

    func run() async throws {
        let begin = Date()
        var start = ProjectStart(place: place, global: global)
        start.scale = Dictionary(scale.map { ($0.service, $0.count) }) { $1 }
        if global.dryRun { return try await start.preview(services) }
        let directory = try await start.prepared(services, builds: noBuild ? .never : build ? .always : .missing)
        let option = DirectoryOption(directory.root)
        do {
            try await option.start(services, global: global) { handle, options in
                try recreation.apply(to: &options, handle)
                options.pull = pull
                options.graceSeconds = timeout
                options.keepsOrphans = !removeOrphans
            }
        } catch let error as DeploymentError where error.code == .failed && attachment.endsWithOne {
            return try await end(option, after: error)
        }
        guard !attachment.isDetached else { return }
        try await follow(option, since: begin)
    }

    /// Prints the logs until nothing runs any more, or until an interrupt, which stops the project.
    private func follow(_ directory: DirectoryOption, since begin: Date) async throws {
        Interrupts.beginFollowing()
        if !global.quiet { Terminal.note("following the logs; Ctrl-C stops the project (up -d leaves it running)") }
        let opened = try OpenDeployment(directory, global: global)
        let since = begin.formatted(.iso8601)
        do {
            if attachment.endsWithOne {
                let ended = try await attachment.followUntilEnd(opened, of: services, since: since, global: global)
                return try await end(directory, with: ended)
            }
            try await attachment.follow(opened, of: services, since: since, global: global)
        } catch  where Task.isCancelled {}
        guard Task.isCancelled else { return }
        Terminal.note("stopping; Ctrl-C once more to leave at once")
        try await stop(directory)
    }

    /// Stops everything, and ends with the exit code of the service that was asked for, else of the one that has ended.
    private func end(_ directory: DirectoryOption, with ended: String?) async throws {
        let wanted = attachment.exitCodeFrom ?? ended
        let code = try await OpenDeployment(directory, global: global).handle.exitCode(of: wanted)
        if let ended, !global.quiet { Terminal.note("\(ended) has ended: stopping the others") }
        try await stop(directory)
        if let code, code != 0 { throw ExitCode(Int32(truncatingIfNeeded: code)) }
    }

    /// The container whose end everything was to end with may end before all the others are ready.
    private func end(_ directory: DirectoryOption, after error: DeploymentError) async throws {
        let handle = try OpenDeployment(directory, global: global).handle
        let wanted = attachment.exitCodeFrom ?? error.failures.first?.service
        guard let code = try await handle.exitCode(of: wanted) else { throw error }
        Failure.print(error)
        try await stop(directory)
        throw ExitCode(Int32(truncatingIfNeeded: code == 0 ? 1 : code))
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

extension DirectoryOption {
    /// Starts these services, or all, and says where they answer.
    func start(
        _ services: [String], global: GlobalOptions,
        _ change: (DeploymentHandle, inout StartOptions) throws -> Void
    ) async throws {
        try await OpenDeployment.locked(self, verb: "up", global: global, warns: true) { deployment in
            try deployment.handle.requireServices(services)
            if global.dryRun { return Terminal.output(try await deployment.handle.plan().description + "\n") }
            var options = StartOptions()
            options.services = services
            try change(deployment.handle, &options)
            try await deployment.start(options, global: global)
        }
    }
}
