import KubernetesClient
import KubernetesObjects
import Rendering
import YAML

extension ClusterRuntime {
    package func runJob(
        _ deployment: DeploymentModel, job: String, events: @escaping EventHandler,
        line: @escaping @Sendable (LogLine) async -> Void
    ) async throws(DeploymentError) -> Int {
        let workload = try deployment.job(named: job)
        return try await withSession(deployment) { session async throws(DeploymentError) in
            try await session.refuseMissingReferences()
            try await prepare(deployment, events)
            return try await session.run(workload, events: events, line: line)
        }
    }
}

extension ClusterSession {
    /// Makes the job again, hands out what it writes, and returns its exit code.
    fileprivate func run(
        _ workload: Workload, events: @escaping EventHandler, line: @escaping @Sendable (LogLine) async -> Void
    ) async throws(DeploymentError) -> Int {
        let observed = try await observe()
        try observed.refuseForeignNamespace(model)
        guard observed.hasInventory else {
            throw DeploymentError(
                .failed, "the deployment has not been started: the job's settings and secrets are not in the cluster",
                hint: "so deployment start")
        }
        let plan = try await plan(observed, options: StartOptions())
        guard let decision = plan.decisions.first(where: { $0.object.workload == workload.name }) else {
            throw DeploymentError(.missing, "nothing was rendered for the job \(workload.name)")
        }
        if let live = decision.live {
            events(Event(workload.name, .replacing(reason: "the job is run again")))
            try await remove(decision.object.key, live: live)
        }
        try await write(Inventory(keys: observed.inventory.keys.union([decision.object.key])))
        _ = try await call { () async throws(KubernetesError) in
            try await client.apply(decision.object.node, force: true)
        }
        let state = ClusterState([workload])
        let logs = ClusterLogOperation(
            session: self, workloads: [workload.name], request: LogRequest(follow: true), line: line)
        let startup = StartupProgress(replicas: [workload.name: 1])
        var awaited = workload
        awaited.completes = true
        let waiter = WorkloadWaiter(
            session: self, workload: awaited, state: state, startup: startup, events: events, mask: SecretMask([]),
            patience: Patience(), isKept: false)
        let failure = try await watching(state) { try await awaiting(waiter, following: logs) }
        return try await exitCode(workload, state, failure)
    }

    /// Waits for the job, and until all that it wrote is handed out; a job that did not end by itself may write for ever.
    private func awaiting(
        _ waiter: WorkloadWaiter, following logs: ClusterLogOperation
    ) async throws -> ServiceFailure? {
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try? await logs.follow(until: end) }
            let failure = try await waiter.run()
            continuation.finish()
            if let failure, failure.kind != .jobFailed { group.cancelAll() }
            try await group.waitForAll()
            return failure
        }
    }

    private func exitCode(
        _ workload: Workload, _ state: ClusterState, _ failure: ServiceFailure?
    ) async throws(DeploymentError) -> Int {
        guard let failure else { return 0 }
        let pods = await state.view(of: workload.name)?.pods ?? []
        let codes = pods.flatMap { $0.initStatuses + $0.containerStatuses }
            .compactMap { $0.at("state", "terminated", "exitCode")?.intValue }
        if failure.kind == .jobFailed, let code = codes.first(where: { $0 != 0 }) { return code }
        var error = DeploymentError(.failed, "\(workload.name) failed")
        error.failures = [failure]
        throw error
    }
}
