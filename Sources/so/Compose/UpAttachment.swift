import ArgumentParser
import Deployments
import Rendering

/// What `so up` does once everything is ready.
struct UpAttachment: ParsableArguments {
    @Flag(name: [.short, .long], help: "Leave it running once it is ready.")
    var detach = false

    @Flag(help: "As -d.")
    var wait = false

    @Option(help: ArgumentHelp("Follow only this service's logs; repeat it for more.", valueName: "service"))
    var attach: [String] = []

    @Option(help: ArgumentHelp("Do not follow this service's logs; repeat it for more.", valueName: "service"))
    var noAttach: [String] = []

    @Flag(help: "Stop everything once any container has ended.")
    var abortOnContainerExit = false

    @Option(
        help: ArgumentHelp("The same, and end with this service's exit code.", valueName: "service"))
    var exitCodeFrom: String?

    @Flag(help: "Print the logs' lines without the service's name.")
    var noLogPrefix = false

    @Flag(help: "Print each log line's time.")
    var timestamps = false

    func validate() throws {
        guard detach || wait, abortOnContainerExit || exitCodeFrom != nil else { return }
        throw ValidationError("-d leaves everything running: it cannot end with a container's end")
    }

    var isDetached: Bool { detach || wait }

    /// Whether the end of one container is the end of all.
    var endsWithOne: Bool { abortOnContainerExit || exitCodeFrom != nil }

    /// Prints the logs of the chosen services until nothing of them runs any more.
    func follow(_ deployment: OpenDeployment, of services: [String], since: String, global: GlobalOptions) async throws
    {
        let all = deployment.handle.model.rendered.workloads.flatMap(\.services)
        let chosen = attach + (services.isEmpty && !noAttach.isEmpty ? all : services).filter { !noAttach.contains($0) }
        try await print(LogRequest(services: chosen, follow: true, since: since), deployment, global: global)
    }

    /// Prints the logs until one container has ended, and all that it wrote stands.
    ///
    /// - Returns: the service whose end it was.
    func followUntilEnd(
        _ deployment: OpenDeployment, of services: [String], since: String, global: GlobalOptions
    ) async throws -> String? {
        try await withThrowingTaskGroup(of: String?.self) { group in
            for name in try deployment.handle.enduring(services) {
                let request = LogRequest(services: [name], follow: true, since: since)
                group.addTask {
                    try await print(request, deployment, global: global)
                    return name
                }
            }
            defer { group.cancelAll() }
            while let ended = try await group.next() {
                if exitCodeFrom == nil || ended == exitCodeFrom || abortOnContainerExit { return ended }
            }
            return nil
        }
    }

    private func print(_ request: LogRequest, _ deployment: OpenDeployment, global: GlobalOptions) async throws {
        try await deployment.printLogs(request, timestamps: timestamps, hasPrefix: !noLogPrefix, global: global)
    }
}
