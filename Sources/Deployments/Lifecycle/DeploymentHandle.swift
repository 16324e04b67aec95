package import ExternalTools
import Rendering
package import Runtimes
import Specs

/// One deployment and what runs it: every operation that `so deployment` offers, as a library.
package struct DeploymentHandle: Sendable {
    package var model: DeploymentModel
    package var runtime: any Runtime

    package init(_ model: DeploymentModel, runtime: any Runtime) {
        self.model = model
        self.runtime = runtime
    }

    /// Decides what a start with these options does; changes nothing.
    package func plan(_ options: StartOptions = StartOptions()) async throws(DeploymentError) -> StartPlan {
        try requireServices(options.services)
        let handle = try await sparingCompletedJobs(options.services)
        let plan = try await runtime.plan(handle.model, options: options)
        guard let maintenance = options.maintenance, model.hasRoutes else { return plan }
        return try await handle.planBehind(maintenance, plan)
    }

    @discardableResult
    package func start(
        _ options: StartOptions = StartOptions(), events: @escaping EventHandler = { _ in }
    ) async throws(DeploymentError) -> StartResult {
        try await execute(plan(options), events: events)
    }

    /// Does what was decided: brings everything up and waits until all of it is ready, or something cannot be.
    @discardableResult
    package func execute(
        _ plan: StartPlan, events: @escaping EventHandler = { _ in }
    ) async throws(DeploymentError) -> StartResult {
        try tellChangedJobs(plan.options.services, events)
        let outcome: StartResult
        do {
            outcome = try await plan.execute(events: events)
        } catch {
            // A job that has ended well did so, whatever else failed.
            try? await recordCompletedJobs()
            throw error
        }
        try await recordCompletedJobs()
        return outcome
    }

    package func stop(
        _ options: StopOptions = StopOptions(), events: @escaping EventHandler = { _ in }
    ) async throws(DeploymentError) {
        if !options.deleteVolumes { try await recordCompletedJobs() }
        try await runtime.stop(model, options: options, events: events)
        if options.deleteVolumes { try CompletedJobs.remove(in: model.stateDirectory) }
    }

    /// A start that replaces the pods of these services, and no others.
    ///
    /// - Throws: ``DeploymentError`` (`missing`) for the first that is not a service of the deployment.
    package func restartOptions(
        _ services: [String], graceSeconds: Int? = nil
    ) throws(DeploymentError) -> StartOptions {
        var options = StartOptions()
        var chosen: Set<String> = []
        for service in services { chosen.insert(try model.workload(named: service).name) }
        options.services = services
        options.replacesAll = true
        options.keepsOrphans = true
        options.graceSeconds = graceSeconds
        let others = model.rendered.workloads.filter { !chosen.contains($0.name) }
        options.spared = Set(others.flatMap { [$0.name] + $0.services })
        return options
    }

    /// What a start with ``StartOptions/replacesAll`` leaves alone, so that it replaces these services, what they depend on, or both.
    ///
    /// - Throws: ``DeploymentError`` (`missing`) for the first that is not a service of the deployment.
    package func spared(
        besides services: [String], replacesServices: Bool, replacesDependencies: Bool
    ) throws(DeploymentError) -> Set<String> {
        guard !services.isEmpty else { return [] }
        var chosen: Set<String> = []
        for service in services { chosen.insert(try model.workload(named: service).name) }
        let others = model.rendered.workloads.filter {
            chosen.contains($0.name) ? !replacesServices : !replacesDependencies
        }
        return Set(others.flatMap { [$0.name] + $0.services })
    }

    /// The workloads of these services, or all, that are not meant to end before others start.
    package func enduring(_ services: [String]) throws(DeploymentError) -> [String] {
        var chosen: Set<String> = []
        for service in services { chosen.insert(try model.workload(named: service).name) }
        return model.rendered.workloads.filter { !$0.completes && (chosen.isEmpty || chosen.contains($0.name)) }
            .map(\.name)
    }

    /// With which exit code a service has ended; nil where it has not.
    package func exitCode(of service: String?) async throws(DeploymentError) -> Int? {
        guard let service else { return nil }
        let name = try model.workload(named: service).name
        return try await ps().filter { $0.service == name }.compactMap(\.exitCode).max()
    }

    /// The services that a service depends on.
    package func dependencies(of service: String) throws(DeploymentError) -> [String] {
        try model.workload(named: service).dependencies.map(\.service)
    }

    /// - Throws: ``DeploymentError`` (`missing`) for the first that is not a service of the deployment.
    package func requireServices(_ services: [String]) throws(DeploymentError) {
        for service in services { _ = try model.workload(named: service) }
    }

    /// The pods, without asking their health checks.
    package func ps() async throws(DeploymentError) -> [PodStatus] {
        try completing(try await runtime.status(model, probe: false))
    }

    /// The containers of their own that `so run` has left.
    package func oneOffs() async throws(DeploymentError) -> [PodStatus] { try await runtime.oneOffs(model) }

    /// The pods, with their health asked now.
    package func status() async throws(DeploymentError) -> [PodStatus] {
        try completing(try await runtime.status(model, probe: true))
    }

    package func logs(
        _ request: LogRequest, line: @escaping @Sendable (LogLine) async -> Void
    ) async throws(DeploymentError) {
        guard let replica = request.replica else { return try await runtime.logs(model, request, line: line) }
        for service in request.services { try model.requireReplica(replica, of: service) }
        try await runtime.logs(model, request) { if $0.replica == replica { await line($0) } }
    }

    /// Runs a command on streams that the caller owns.
    package func exec(_ request: ExecRequest, on streams: CommandStreams) async throws(DeploymentError) -> Int {
        try await runtime.exec(model, request, on: streams)
    }

    /// The addresses of a running service's first replica, one for each network that it is in.
    package func addresses(of service: String) async throws(DeploymentError) -> [ServiceAddress] {
        try await runtime.addresses(model, service: service)
    }

    /// How each pod stands, now and after every change, until the task is cancelled or the closure throws.
    package func followStatus(_ body: @escaping @Sendable ([PodStatus]) async throws -> Void) async throws {
        let (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await runtime.watch(model) { changed.yield() }
                changed.finish()
            }
            changed.yield()
            for await _ in changes { try await body(try await status()) }
            group.cancelAll()
        }
        try Task.checkCancellation()
    }

    /// Makes all that a container of its own with a service's settings needs; the caller holds the lock.
    package func prepareRun(
        _ request: RunRequest, events: @escaping EventHandler = { _ in }
    ) async throws(DeploymentError) -> PreparedRun {
        try await runtime.prepareRun(model, request, events: events)
    }

    /// Copies files into a running service or out of it.
    package func copy(_ request: CopyRequest, on streams: CommandStreams) async throws(DeploymentError) -> Int {
        try await runtime.copy(model, request, on: streams)
    }

    /// Leads a port of this host's loopback to a port of a running service until the task is cancelled.
    package func forward(
        _ request: ForwardRequest, events: @escaping @Sendable (ForwardEvent) async -> Void
    ) async throws(DeploymentError) -> Int {
        try await runtime.forward(model, request, events: events)
    }

    /// Runs a command in a running service and returns all that it printed.
    package func capture(
        _ request: ExecRequest, input: [UInt8] = []
    ) async throws(DeploymentError) -> CommandOutput {
        try await runtime.capture(model, request, input: input)
    }

    /// The name of a job of the stack.
    ///
    /// - Throws: ``DeploymentError`` (`missing`) for anything else.
    package func job(named name: String) throws(DeploymentError) -> String { try model.job(named: name).name }

    /// What a stop would take away, in words; changes nothing.
    package func stopPreview(_ options: StopOptions) async throws(DeploymentError) -> [String] {
        let pods = try await ps().filter { $0.state != .absent }.map { "pod      \($0.pod)" }
        guard options.deleteVolumes else { return pods }
        return try await pods + runtime.data(model).map { $0.description }
    }

    package func runJob(
        _ job: String, events: @escaping EventHandler = { _ in },
        line: @escaping @Sendable (LogLine) async -> Void = { _ in }
    ) async throws(DeploymentError) -> Int {
        let status = try await runtime.runJob(model, job: job, events: events, line: line)
        if status == 0 { try recordCompleted(try model.job(named: job).name) }
        return status
    }

    /// Where a container port of a running service is published on this host.
    ///
    /// - Parameter replica: which of several replicas, from one; nil: the first that runs.
    package func port(
        _ service: String, containerPort: Int, transport: String = "tcp", replica: Int? = nil
    ) async throws(DeploymentError) -> PodStatus.Port {
        let all = try await ps().filter { $0.service == service || $0.containers.contains(service) }
        guard !all.isEmpty else { throw DeploymentError(.missing, "no service named \(service)") }
        if let replica { try model.requireReplica(replica, of: service) }
        let pods = all.filter {
            ![.absent, .completed, .failed, .stopped].contains($0.state) && $0.replica == replica ?? $0.replica
        }
        guard !pods.isEmpty else {
            throw DeploymentError(.failed, "\(service) is not running", hint: model.command("start"))
        }
        let ports = pods.flatMap(\.ports)
        guard let port = ports.first(where: { $0.containerPort == containerPort && $0.transport == transport }) else {
            let published = Set(ports.map { "\($0.containerPort)/\($0.transport)" }).sorted().joined(separator: ", ")
            throw DeploymentError(
                .missing, "\(service) publishes no port \(containerPort)/\(transport)",
                hint: published.isEmpty ? "it publishes none" : "it publishes \(published)")
        }
        return port
    }

    /// The secrets of this deployment, without their values.
    package func secrets() async throws(DeploymentError) -> [SecretListing] { try await runtime.secrets(model) }

    /// Gives generated secrets these values instead of random ones; see ``Runtime/importSecrets(_:_:replaces:)``.
    package func importSecrets(
        _ values: [String: String], replaces: Bool
    ) async throws(DeploymentError) -> [String] {
        try await runtime.importSecrets(model, values, replaces: replaces)
    }

    /// Gives a generated secret a new value; the next start rolls what uses it.
    package func rotateSecret(_ name: String) async throws(DeploymentError) {
        try await runtime.rotateSecret(model, name: name)
    }
}
