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

    @Flag(name: [.short, .long], help: "Leave it running once it is ready.")
    var detach = false

    @Flag(help: "As -d.")
    var wait = false

    @Flag(help: "Build all images, also those that exist.")
    var build = false

    @Flag(help: "Build nothing.")
    var noBuild = false

    @Flag(help: "Replace containers that did not change, too.")
    var forceRecreate = false

    @Flag(help: "Remove containers of services that the files have no more.")
    var removeOrphans = false

    @Option(
        name: [.customShort("t"), .long],
        help: ArgumentHelp("Seconds to let services end when Ctrl-C stops them.", valueName: "seconds"))
    var timeout: Int?

    @Argument(help: "Only these services and what they depend on.")
    var services: [String] = []

    func run() async throws {
        let begin = Date()
        let start = ProjectStart(place: place, global: global)
        if global.dryRun { return try await start.preview(services) }
        let directory = try await start.prepared(services, builds: noBuild ? .never : build ? .always : .missing)
        let option = DirectoryOption(directory.root)
        try await option.start(services, global: global) {
            $0.replacesAll = forceRecreate
            $0.keepsOrphans = !removeOrphans
        }
        guard !detach, !wait else { return }
        try await follow(option, since: begin)
    }

    /// Prints the logs until nothing runs any more, or until an interrupt, which stops the project.
    private func follow(_ directory: DirectoryOption, since begin: Date) async throws {
        Interrupts.beginFollowing()
        if !global.quiet { Terminal.note("following the logs; Ctrl-C stops the project (up -d leaves it running)") }
        let request = LogRequest(services: services, follow: true, since: begin.formatted(.iso8601))
        do {
            try await OpenDeployment(directory, global: global).printLogs(request, global: global)
        } catch  where Task.isCancelled {}
        guard Task.isCancelled else { return }
        Terminal.note("stopping; Ctrl-C once more to leave at once")
        let stop = ["--dir", try directory.directory] + (timeout.map { ["--timeout", "\($0)"] } ?? [])
        // A cancelled task could not wait for the services' ends.
        try await Task {
            let command = try DeploymentStop.parse(stop + global.arguments)
            try await command.run()
        }.value
    }
}

extension DirectoryOption {
    /// Starts these services, or all, and says where they answer.
    func start(
        _ services: [String], global: GlobalOptions, _ change: (inout StartOptions) -> Void
    ) async throws {
        var options = StartOptions()
        options.services = services
        change(&options)
        try await OpenDeployment.locked(self, verb: "up", global: global, warns: true) { deployment in
            try deployment.handle.requireServices(services)
            if global.dryRun { return Terminal.output(try await deployment.handle.plan().description + "\n") }
            try await deployment.start(options, global: global)
        }
    }
}
