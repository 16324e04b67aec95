import OrderedCollections
import Rendering
package import Runtimes
import Specs
import YAML

extension DeploymentService {
    /// What a start would do, as it is printed; changes nothing.
    package func plan(
        _ directory: DeploymentDirectory, _ request: StartRequest = StartRequest(),
        events: DeploymentEventHandler = { _ in }
    ) async throws -> Plan {
        let deployment = try await open(directory)
        deployment.warnings.tell(events)
        return try await deployment.handle.plan(request.options(for: deployment.handle)).summary
    }

    /// Brings a deployment up to its files and waits until all of it is ready, with the stack's hooks before and after.
    ///
    /// - Parameter verb: the command that those who wait for the lock are told of.
    @discardableResult
    package func start(
        _ directory: DeploymentDirectory, _ request: StartRequest = StartRequest(), verb: String = "deployment start",
        events: @escaping DeploymentEventHandler = { _ in }
    ) async throws -> StartResult {
        try await changing(directory, verb: verb, warns: true, events: events) { deployment in
            try await deployment.start(request.options(for: deployment.handle), events: events)
        }
    }

    /// Runs a job of the stack again, waits for its end and returns its exit code.
    package func runJob(
        _ job: String, of directory: DeploymentDirectory, events: @escaping DeploymentEventHandler = { _ in },
        line: @escaping @Sendable (LogLine) async -> Void = { _ in }
    ) async throws -> Int {
        try await changing(directory, verb: "deployment run-job", events: events) { deployment in
            try await deployment.handle.runJob(job, events: { events(.runtime($0)) }, line: line)
        }
    }
}

extension DirectoryDeployment {
    /// Starts it; the caller holds the lock.
    func start(_ options: StartOptions, events: @escaping DeploymentEventHandler) async throws -> StartResult {
        let own = [directory.root] + loaded.stack.allRoots
        events(.hostAccess(loaded.rendered.hostAccess(besides: own)))
        try await runPodCommands(\.preStartCommand, "pre_start_command", events: events)
        let plan = try await handle.plan(options)
        events(.decided(plan.summary))
        // Written before anything is made: a start that is killed owes its values to the next one.
        if !loaded.stack.file.config.isEmpty, !plan.isEmpty { try directory.setPendingExchange(true) }
        let result = try await handle.execute(plan) { events(.runtime($0)) }
        try await exchange(after: result, events: events)
        try await runPodCommands(\.postStartCommand, "post_start_command", events: events)
        try await runHooks(.start, events: events)
        return result
    }
}
