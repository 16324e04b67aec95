package import ExternalTools
import Glibc
package import Runtimes
package import YAML

/// A deployment that is read and rendered, with what runs it: every verb of `so deployment` as a call.
///
/// What changes something takes the deployment's lock, so that it never runs twice at once, not even from two processes.
package struct OpenDeployment: Sendable {
    package let handle: DeploymentHandle
    let lockFile: String
    let places: Gate
    /// What its files gave rise to.
    package let warnings: [Diagnostic]

    package var model: DeploymentModel { handle.model }

    /// The names of the volumes that hold its data, as its runtime has them.
    package func volumes() async throws(DeploymentError) -> [String] {
        try await handle.runtime.data(model).compactMap { data in
            if case .volume(let name) = data { name } else { nil }
        }.sorted()
    }

    /// Decides what a start with these options does; changes nothing.
    package func plan(_ options: StartOptions = StartOptions()) async throws(DeploymentError) -> StartPlan {
        try await handle.plan(options)
    }

    /// Does what was decided. Another call that changed the deployment since may have made the plan obsolete: ``start(_:events:)`` decides and
    /// acts under one lock.
    @discardableResult
    package func execute(
        _ plan: StartPlan, events: @escaping EventHandler = { _ in }
    ) async throws(DeploymentError) -> StartResult {
        try await changing(events) { () async throws(DeploymentError) in
            try await handle.execute(plan, events: events)
        }
    }

    /// Brings everything up and waits until all of it is ready, or something cannot be.
    ///
    /// - Parameter events: called from several tasks at once.
    @discardableResult
    package func start(
        _ options: StartOptions = StartOptions(), events: @escaping EventHandler = { _ in }
    ) async throws(DeploymentError) -> StartResult {
        try await changing(events) { () async throws(DeploymentError) in
            try await handle.start(options, events: events)
        }
    }

    /// Replaces the pods of these services, none named: of all, and waits until they are ready.
    @discardableResult
    package func restart(
        _ services: [String] = [], graceSeconds: Int? = nil, events: @escaping EventHandler = { _ in }
    ) async throws(DeploymentError) -> StartResult {
        var options = StartOptions()
        (options.replacesAll, options.graceSeconds) = (true, graceSeconds)
        if !services.isEmpty { options = try handle.restartOptions(services, graceSeconds: graceSeconds) }
        return try await start(options, events: events)
    }

    /// Returns when everything that it removes is gone.
    package func stop(
        _ options: StopOptions = StopOptions(), events: @escaping EventHandler = { _ in }
    ) async throws(DeploymentError) {
        try await changing(events) { () async throws(DeploymentError) in
            try await handle.stop(options, events: events)
        }
    }

    /// Runs a job of the stack again, waits for its end and returns its exit code.
    package func runJob(
        _ job: String, events: @escaping EventHandler = { _ in },
        line: @escaping @Sendable (LogLine) async -> Void = { _ in }
    ) async throws(DeploymentError) -> Int {
        try await changing(events) { () async throws(DeploymentError) in
            try await handle.runJob(job, events: events, line: line)
        }
    }

    /// How each pod stands now, its health asked now.
    package func status() async throws(DeploymentError) -> [PodStatus] { try await handle.status() }

    /// How each pod stands, now and after every change, until the task is cancelled or the closure throws.
    package func followStatus(_ body: @escaping @Sendable ([PodStatus]) async throws -> Void) async throws {
        try await handle.followStatus(body)
    }

    /// Hands out the lines of the services in order of time; with `follow` until the task is cancelled or nothing runs any more.
    package func logs(
        _ request: LogRequest = LogRequest(), line: @escaping @Sendable (LogLine) async -> Void
    ) async throws(DeploymentError) {
        try await handle.logs(request, line: line)
    }

    /// Runs a command in a running service on the caller's streams, and returns its exit code.
    package func exec(_ request: ExecRequest, on streams: CommandStreams) async throws(DeploymentError) -> Int {
        try await handle.exec(request, on: streams)
    }

    /// Runs a command in a running service and returns all that it printed, at most ``Command/outputLimit`` bytes.
    package func capture(
        _ request: ExecRequest, input: [UInt8] = []
    ) async throws(DeploymentError) -> CommandOutput {
        try await handle.capture(request, input: input)
    }

    /// The addresses of a running service's first replica, one for each network that it is in.
    package func addresses(of service: String) async throws(DeploymentError) -> [ServiceAddress] {
        try await handle.addresses(of: service)
    }

    /// Where a container port of a service is published on this host.
    package func port(
        _ service: String, containerPort: Int, transport: String = "tcp"
    ) async throws(DeploymentError) -> PodStatus.Port {
        try await handle.port(service, containerPort: containerPort, transport: transport)
    }

    // MARK: One at a time

    /// Takes a place among the service's operations and the deployment's lock. A task that was cancelled meanwhile does nothing.
    private func changing<Result: Sendable>(
        _ events: @escaping EventHandler, _ body: @Sendable () async throws(DeploymentError) -> Result
    ) async throws(DeploymentError) -> Result {
        try await places.pass { () async throws(DeploymentError) in
            let lock: DirectoryLock
            do {
                lock = try await DirectoryLock.acquire(path: lockFile, holder: "process \(getpid())") { holder in
                    events(Event(nil, .waiting(for: "\(holder), which works on \(model.owner)")))
                }
            } catch {
                throw error as? DeploymentError ?? DeploymentError(.cancelled, "cancelled")
            }
            if Task.isCancelled { throw DeploymentError(.cancelled, "cancelled") }
            let result = try await body()
            _ = consume lock
            return result
        }
    }
}
