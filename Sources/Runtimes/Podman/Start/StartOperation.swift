import ExternalTools
import Rendering

/// One start: everything that its tasks share.
struct StartOperation: Sendable {
    let podman: Podman
    let model: DeploymentModel
    let options: StartOptions
    let preparation: Preparation
    let plan: PodmanPlan
    let images: [String: PodmanImageRecord]
    let gateway: String?
    let events: EventHandler
    let startup: StartupProgress
    let watch: ContainerExitMonitor
    /// Makers of pods pass it.
    let gate: Gate
    let fillGate = Gate(places: 1)

    /// Works on all pods at once: each goes on as soon as what it depends on lets it.
    func execute(since: Int) async throws(DeploymentError) {
        let outcome = await withTaskGroup(of: TaskResult.self) { group in
            group.addTask {
                await watch.listen(podman, deployment: model.id, since: since)
                return .listener
            }
            var worst = await workOn(plan.decisions, in: &group)
            if worst == nil {
                let unsettled = await decisionsToLookAtAgain()
                worst = await workOn(unsettled.map { $0.kept() }, in: &group)
            }
            group.cancelAll()
            return worst
        }
        if Task.isCancelled { throw DeploymentError(.cancelled, "cancelled") }
        let failures = await startup.failures
        guard failures.isEmpty else { throw failed(failures) }
        switch outcome {
        case .podman(let error)?: throw error
        case .cancelled?: throw DeploymentError(.cancelled, "cancelled")
        default: return
        }
    }

    private enum TaskResult: Sendable {
        case listener
        case pod(Interruption?)
    }

    /// Works on these pods at once, and returns what was worst.
    private func workOn(_ decisions: [PodDecision], in group: inout TaskGroup<TaskResult>) async -> Interruption? {
        for decision in decisions { group.addTask { .pod(await work(on: decision)) } }
        var worst: Interruption?
        var remaining = decisions.count
        while remaining > 0, let result = await group.next() {
            guard case .pod(let interruption) = result else { continue }
            remaining -= 1
            guard let interruption else { continue }
            if case .cancelled = interruption { worst = .cancelled }
            worst = worst ?? interruption
        }
        return worst
    }

    /// Services without a health check count as ready once they run. At the end all of them are looked at: one that has ended meanwhile is
    /// followed until it stays up, or has failed.
    private func decisionsToLookAtAgain() async -> [PodDecision] {
        guard plan.decisions.contains(where: { $0.action != .keep }), await !isAllHeard(),
            let now = try? await podman.containers(of: model.id)
        else { return [] }
        let restarted = await restartedUnheard(now)
        var result: [PodDecision] = []
        for var decision in plan.decisions where decision.action != .keep && !decision.pod.completes {
            guard await startup.failure(decision.pod.workload) == nil else { continue }
            let names = Set(decision.pod.containers.map(\.name))
            decision.containers = now.filter { names.contains($0.name) }
            var isQuiet = decision.containers.allSatisfy { $0.State == "running" && !restarted.contains($0.Id) }
            for container in decision.containers where await !watch.deaths(of: container.Id).isEmpty { isQuiet = false }
            if !isQuiet { result.append(decision) }
        }
        return result
    }

    /// Those that podman has restarted, where nobody listened to it.
    private func restartedUnheard(_ containers: [PodmanContainerRecord]) async -> Set<String> {
        guard await !watch.isNeeded, !containers.isEmpty else { return [] }
        await watch.begin()
        let found = (try? await podman.inspect(containers: containers.map(\.Id))) ?? []
        return Set(found.filter { $0.RestartCount ?? 0 > 0 }.map(\.Id))
    }

    /// Whether every pod of this start has answered a moment ago, by its health check or on its ports: then nothing is to be looked at.
    private func isAllHeard() async -> Bool {
        for decision in plan.decisions where decision.action != .keep && !decision.pod.completes {
            guard await startup.wasHeard(decision.pod.name, within: .seconds(1)) else { return false }
        }
        return true
    }

    private func failed(_ failures: [ServiceFailure]) -> DeploymentError {
        let names = failures.map(\.service).joined(separator: ", ")
        var error = DeploymentError(
            .failed, failures.count == 1 ? "\(names) failed" : "\(failures.count) services failed")
        error.failures = failures
        return error
    }

    private func work(on decision: PodDecision) async -> Interruption? {
        let pod = decision.pod
        let clock = ContinuousClock()
        let begin = clock.now
        do {
            if decision.action != .keep { try await awaitDependencies(of: pod) }
            let ids = try await bringUp(decision)
            await startup.reach(.started, workload: pod.workload, replica: pod.replica)
            try await awaitReady(decision, ids)
            let seconds = (clock.now - begin).seconds
            let hasEnded = pod.completes
            await startup.reach(hasEnded ? .completed : .ready, workload: pod.workload, replica: pod.replica)
            // A row of the progress is ready when all of its replicas are.
            guard await startup.stage(pod.workload) >= (hasEnded ? .completed : .ready) else { return nil }
            if decision.action == .keep {
                events(Event(pod.workload, .unchanged))
            } else {
                events(Event(pod.workload, hasEnded ? .completed(seconds: seconds) : .ready(seconds: seconds)))
            }
            return nil
        } catch {
            let interruption = Interruption(error)
            if case .failure(let failure) = interruption {
                let isTolerated = model.isOptional(pod.workload)
                await startup.fail(pod.workload, failure, isTolerated: isTolerated)
                events(Event(pod.workload, .failed(failure.reason)))
                if isTolerated { return nil }
            }
            if case .abandoned = interruption {
                let isStarted = await startup.stage(pod.workload) > .pending
                events(Event(pod.workload, .abandoned(isStarted: isStarted)))
            }
            return interruption
        }
    }

    // MARK: Dependencies

    private func awaitDependencies(of pod: PodmanPod) async throws {
        let dependencies = model.rendered.workloads.first { $0.name == pod.workload }?.dependencies ?? []
        for dependency in dependencies {
            let stage = stage(of: dependency)
            if await startup.stage(dependency.workload) >= stage { continue }
            events(Event(pod.workload, .waiting(for: "\(dependency.service) \(dependency.condition.goal)")))
            let failure = try await unlessAbandoned(by: dependency) {
                try await startup.wait(for: dependency.workload, stage)
            }
            guard let failure, dependency.isRequired else { continue }
            throw Interruption.failure(
                ServiceFailure(
                    pod.workload, .dependencyFailed,
                    "not started: \(dependency.service), which it depends on, failed: \(failure.reason)"))
        }
    }

    /// A job that is depended on as a service counts as started, not as ended.
    private func stage(of dependency: WorkloadDependency) -> StartupProgress.Stage {
        switch dependency.condition {
        case .started: .started
        case .healthy: .ready
        case .completedSuccessfully: .completed
        }
    }

    /// Waits for a dependency until something has failed. A failure of the dependency itself is its answer, not a reason to give up.
    private func unlessAbandoned(
        by dependency: WorkloadDependency, _ body: @escaping @Sendable () async throws -> ServiceFailure?
    ) async throws -> ServiceFailure? {
        do {
            return try await unlessAbandoned(body)
        } catch Interruption.abandoned {
            if let failure = await startup.failure(dependency.workload) { return failure }
            throw Interruption.abandoned
        }
    }

    /// Waits for something until something else has failed: then there is no use in waiting on.
    func unlessAbandoned<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await startup.waitForFailure()
                throw Interruption.abandoned
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }
}

extension PodDecision {
    /// The same pod, to be waited for as it is.
    fileprivate func kept() -> PodDecision {
        var decision = self
        decision.action = .keep
        return decision
    }
}

extension WorkloadDependency.Condition {
    fileprivate var goal: String {
        switch self {
        case .started: "to start"
        case .healthy: "to be healthy"
        case .completedSuccessfully: "to complete"
        }
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
