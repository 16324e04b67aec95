import ArgumentParser
import Deployments
import ExternalTools
import Rendering
import Runtimes

/// `so deployment cp`.
struct DeploymentCopy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cp", abstract: "Copy files into a running service, or out of it.",
        discussion: "One of source and target is <service>:<path>, the other a path of this host.")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var global: GlobalOptions

    @Option(help: "Which replica, counted from 1.")
    var index = 1

    @Argument(help: "What is copied: <service>:<path> or <path>.")
    var source: String

    @Argument(help: "Where to: <path> or <service>:<path>.")
    var target: String

    func run() async throws {
        let deployment = try await Host.look(directory, global: global)
        let services = Set(deployment.handle.model.rendered.workloads.flatMap { [$0.name] + $0.services })
        let request = try request(services)
        if global.dryRun { return Terminal.output("copy \(shellQuoted(source)) to \(shellQuoted(target))\n") }
        let status = try await deployment.handle.copy(request, on: .ofThisProcess)
        if status != 0 { throw ExitCode(Int32(truncatingIfNeeded: status)) }
    }

    private func request(_ services: Set<String>) throws -> CopyRequest {
        var request: CopyRequest
        switch (side(source, services), side(target, services)) {
        case (let from?, nil):
            request = CopyRequest(
                service: from.service, direction: .outOfService, pathInService: from.path, path: target)
        case (nil, let to?):
            request = CopyRequest(service: to.service, direction: .intoService, pathInService: to.path, path: source)
        case (nil, nil):
            throw ValidationError(
                "one of `\(source)` and `\(target)` must be <service>:<path>; the services are "
                    + services.sorted().joined(separator: ", "))
        case (_?, _?): throw ValidationError("copy from a service to this host first, then to the other service")
        }
        request.replica = index
        return request
    }

    private func side(_ text: String, _ services: Set<String>) -> (service: String, path: String)? {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, services.contains(parts[0]), !parts[1].isEmpty else { return nil }
        return (parts[0], parts[1])
    }
}
