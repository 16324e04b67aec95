import ArgumentParser
import Deployments
import Rendering
import Runtimes

/// What `so up` does once everything is ready.
struct UpAttachment: ParsableArguments {
    @Flag(name: [.short, .long], help: "Leave it running once it is ready.")
    var detach = false

    @Flag(help: "Wait until everything is ready, and leave it running (as -d).")
    var wait = false

    @OptionGroup var limit: WaitLimit

    /// Services that others depend on are attached to as all are.
    @Flag(help: .hidden)
    var attachDependencies = false

    /// docker compose's menu of keys: there is none here.
    @Option(help: .hidden)
    var menu: Bool = false

    @Option(help: ArgumentHelp("Follow only this service's logs; repeat it for more.", valueName: "service"))
    var attach: [String] = []

    @Option(help: ArgumentHelp("Do not follow this service's logs; repeat it for more.", valueName: "service"))
    var noAttach: [String] = []

    @Flag(help: "Stop everything once any container has ended.")
    var abortOnContainerExit = false

    @Flag(help: "Stop everything once any container has failed.")
    var abortOnContainerFailure = false

    @Option(
        help: ArgumentHelp(
            "Stop all services when this one ends, and exit with its exit code.", valueName: "service"))
    var exitCodeFrom: String?

    @Flag(help: "Print the logs' lines without the service's name.")
    var noLogPrefix = false

    @Flag(help: "Print each log line's time.")
    var timestamps = false

    func validate() throws {
        if abortOnContainerFailure, abortOnContainerExit || exitCodeFrom != nil {
            throw ValidationError("--abort-on-container-failure contradicts the options that end with any container")
        }
        guard isDetached, condition != nil else { return }
        throw ValidationError("-d leaves everything running: it cannot end with a container's end")
    }

    var isDetached: Bool { detach || wait || limit.seconds != nil }

    /// Whose end is the end of all; nil: nobody's.
    var condition: AbortCondition? {
        if abortOnContainerFailure { return AbortCondition(.failure) }
        if abortOnContainerExit { return AbortCondition(.exit, exitCodeFrom: exitCodeFrom) }
        return exitCodeFrom.map { AbortCondition(.exitOf($0), exitCodeFrom: $0) }
    }

    /// Prints the logs of the chosen services until nothing of them runs any more.
    func follow(_ deployment: DirectoryDeployment, of services: [String], since: String, global: GlobalOptions)
        async throws
    {
        let all = deployment.handle.model.rendered.workloads.flatMap(\.services)
        let chosen = attach + (services.isEmpty && !noAttach.isEmpty ? all : services).filter { !noAttach.contains($0) }
        try await print(LogRequest(services: chosen, follow: true, since: since), deployment, global: global)
    }

    func print(_ request: LogRequest, _ deployment: DirectoryDeployment, global: GlobalOptions) async throws {
        try await deployment.handle.printLogs(request, timestamps: timestamps, hasPrefix: !noLogPrefix, global: global)
    }
}
