import ArgumentParser
import Deployments
import Runtimes

/// `so deployment restart`.
struct DeploymentRestart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "Restart a deployment, with what changed in its stack's source.",
        discussion: """
            What `so deployment update` does, and then every pod is replaced, also those that did not change; jobs that \
            ended well stay. With services, nothing is pulled or updated: only their pods are replaced.
            """)

    @OptionGroup var source: SourceUpdateOptions

    @OptionGroup var grace: GraceOption

    @Argument(help: "Only these services.")
    var services: [String] = []

    func run() async throws {
        guard !services.isEmpty else { return try await source.run(replacesAll: true, graceSeconds: grace.timeout) }
        let deployment = try source.directory.open()
        let progress = Progress(global: source.global)
        if source.global.dryRun {
            let plan = try await Host.deployments.plan(deployment, request) { progress.handle($0) }
            return Terminal.output(plan.description + "\n")
        }
        let result = try await Host.deployments.start(deployment, request, verb: "deployment restart") {
            progress.handle($0)
        }
        Terminal.note(result, global: source.global)
    }

    private var request: StartRequest {
        var request = StartRequest(services: services)
        request.restarts = true
        request.options.graceSeconds = grace.timeout
        return request
    }
}
