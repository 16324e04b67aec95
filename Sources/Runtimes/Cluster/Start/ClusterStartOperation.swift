import FoundationEssentials
import KubernetesClient
import KubernetesObjects
import Rendering
import YAML

/// One start: carries the plan out and waits until everything is ready, or something cannot be.
struct ClusterStartOperation: Sendable {
    let session: ClusterSession
    var plan: ClusterPlan
    let observed: ClusterObserved
    let options: StartOptions
    let events: EventHandler
    /// Nil: all workloads.
    var selected: Set<String>?
    let mask: SecretMask
    var patience = Patience()

    var workloads: [Workload] {
        session.model.rendered.workloads.filter { selected?.contains($0.name) ?? true }
    }

    func execute() async throws(DeploymentError) {
        if plan.isEmpty, try await isAllReady() {
            for workload in workloads { events(Event(workload.name, .unchanged)) }
            return
        }
        if !plan.isEmpty {
            try await session.write(Inventory(keys: plan.inventory.keys.union(observed.inventory.keys)))
            try await prune(plan.droppedFirst)
            try await applyBase()
        }
        try await bringWorkloadsUp()
        try await restoreVanished()
        guard !plan.isEmpty else { return }
        try await prune(plan.droppedLast)
        // A start of some services leaves the others' objects as they may be.
        try await session.write(
            selected == nil ? plan.inventory : Inventory(keys: plan.inventory.keys.union(observed.inventory.keys)))
    }

    private func isAllReady() async throws(DeploymentError) -> Bool {
        let state = try await session.look(workloads)
        for workload in workloads {
            guard let assessment = await state.view(of: workload.name)?.assess(patience) else { return false }
            guard assessment.stage >= goal(of: workload) else { return false }
        }
        return true
    }

    private func goal(of workload: Workload) -> StartupProgress.Stage { workload.completes ? .completed : .ready }

    // MARK: Objects without pods

    /// All that pods need, at once: the API takes references to what does not exist yet. Only claims wait for the volumes made for them.
    func applyBase() async throws(DeploymentError) {
        let base = plan.decisions.filter {
            !$0.object.key.isWorkload && $0.action != .keep && !$0.object.node.isEmptyMapping
        }
        let volumes = base.filter { $0.object.key.type == .persistentVolumes }
        let reserved = Set(volumes.compactMap { $0.object.node.at("spec", "claimRef", "name")?.text })
        func isReserved(_ key: ObjectKey) -> Bool { key.type == .persistentVolumeClaims && reserved.contains(key.name) }
        _ = try await session.each(base.filter { !isReserved($0.object.key) }) {
            decision async throws(DeploymentError) in
            try await apply(decision)
        }
        await awaitKnown(Set(volumes.map(\.object.key.name)))
        _ = try await session.each(base.filter { isReserved($0.object.key) }) {
            decision async throws(DeploymentError) in
            try await apply(decision)
        }
    }

    /// Waits until the cluster's controller knows the volumes: a claim that it sees before its volume is bound only when it looks again, up to 15 s
    /// later. What holds it up otherwise is for the pods' diagnosis to say.
    private func awaitKnown(_ volumes: Set<String>) async {
        guard !volumes.isEmpty else { return }
        let own = Selection(labels: "\(Keys.instance)=\(session.model.id)")
        try? await session.wait(.persistentVolumes, own, limit: 5, what: "seeing the volumes") { objects in
            let known = objects.values.filter { ["Available", "Bound"].contains($0.status?["phase"]?.text) }
            return volumes.isSubset(of: known.map(\.name))
        }
    }

    @discardableResult
    func apply(_ decision: ClusterPlan.Decision) async throws(DeploymentError) -> LiveObject {
        let key = decision.object.key
        if decision.action == .recreate { try await session.remove(key, live: decision.live) }
        do {
            let result = try await session.applyLasting(decision.object, force: options.forceConflicts)
            if decision.isReleased { try await session.free(result) }
            return decision.rolls ? try await session.roll(key) : result
        } catch {
            throw refusal(of: decision, error)
        }
    }

    private func refusal(of decision: ClusterPlan.Decision, _ error: any Error) -> DeploymentError {
        guard let error = error as? KubernetesError else {
            return error as? DeploymentError ?? DeploymentError(.cancelled, "cancelled")
        }
        var result = DeploymentError(error)
        if let conflicts = error.status?.fieldConflicts, !conflicts.isEmpty {
            result.cause = conflicts.map { "\($0.field) (\($0.message))" }.joined(separator: ", ")
            result.hint = "take the fields over with `so deployment start --force-conflicts`"
        }
        return result
    }

    // MARK: Pruning

    private func prune(_ keys: [ObjectKey]) async throws(DeploymentError) {
        guard !keys.isEmpty else { return }
        _ = try await session.each(keys) { key async throws(DeploymentError) in
            try await session.remove(key, live: observed.objects[key])
            events(Event(key.isWorkload ? key.name : nil, key.isWorkload ? .removed : .deleted("\(key)")))
        }
    }

    // MARK: Workloads

    private enum TaskResult: Sendable {
        case done
        case failed
        case broken(DeploymentError)
    }

    func bringWorkloadsUp() async throws(DeploymentError) {
        try await session.renewUnbegunPods(of: workloads)
        let state = ClusterState(workloads, bootTimes: await session.bootTimes())
        let startup = StartupProgress(replicas: Dictionary(uniqueKeysWithValues: workloads.map { ($0.name, 1) }))
        let failures = try await session.watching(state) {
            var broken = await eachWorkload { await work(on: $0, state, startup) }
            var failures = await startup.failures
            if !Task.isCancelled, broken == nil, failures.isEmpty {
                // The first may have ended while the last one started.
                broken = await eachWorkload { await lookAgain(at: $0, state, startup) }
                failures = await startup.failures
            }
            if Task.isCancelled || broken != nil || !failures.isEmpty { await endRejections(in: state, startup) }
            return (failures, broken)
        }
        if !failures.0.isEmpty { throw failed(failures.0) }
        if let error = failures.1 { throw error }
        if Task.isCancelled { throw DeploymentError(.cancelled, "cancelled") }
    }

    /// Does it for all at once; the first that fails ends the others.
    private func eachWorkload(_ body: @escaping @Sendable (Workload) async -> TaskResult) async -> DeploymentError? {
        await withTaskGroup(of: TaskResult.self) { group in
            for workload in workloads { group.addTask { await body(workload) } }
            var broken: DeploymentError?
            for await result in group {
                switch result {
                case .done: continue
                case .failed: group.cancelAll()
                case .broken(let error):
                    broken = broken ?? error
                    group.cancelAll()
                }
            }
            return broken
        }
    }

    private func failed(_ failures: [ServiceFailure]) -> DeploymentError {
        // The ones to blame first, then those that only wait for them.
        let causes = failures.filter { $0.kind != .dependencyFailed }
        let names = (causes.isEmpty ? failures : causes).map(\.service).joined(separator: ", ")
        var error = DeploymentError(.failed, "\(names) failed")
        error.failures = causes + failures.filter { $0.kind == .dependencyFailed }
        return error
    }

    private func work(on workload: Workload, _ state: ClusterState, _ startup: StartupProgress) async -> TaskResult {
        let begin = ContinuousClock.now
        let decision = plan.decisions.first { $0.object.workload == workload.name }
        let isKept = decision?.action == .keep
        do {
            if !isKept { try await awaitDependencies(of: workload, startup) }
            if let decision, !isKept {
                events(
                    Event(
                        workload.name,
                        decision.action == .create ? .creating : .replacing(reason: decision.reason ?? "it has changed")
                    ))
                let applied = try await apply(decision)
                // From here on only what the cluster makes of this counts, not what its watch still tells of before.
                await state.takeAnswer(decision.object.key.type, applied)
                await state.madeProgress()
            }
            if let failed = try await failure(of: workload, decision, state, startup) { return failed }
            let seconds = begin.duration(to: .now).seconds
            events(
                Event(
                    workload.name,
                    isKept ? .unchanged : workload.completes ? .completed(seconds: seconds) : .ready(seconds: seconds)))
            return .done
        } catch let failure as ServiceFailure {
            await startup.fail(workload.name, failure)
            return .failed
        } catch let error as DeploymentError {
            return .broken(error)
        } catch {
            return .done
        }
    }

    /// Whether something that was ready still is: a container that ended since is waited for once more, or is the start's failure.
    private func lookAgain(
        at workload: Workload, _ state: ClusterState, _ startup: StartupProgress
    ) async -> TaskResult {
        guard await startup.failure(workload.name) == nil else { return .done }
        let decision = plan.decisions.first { $0.object.workload == workload.name }
        do {
            return try await failure(of: workload, decision, state, startup) ?? .done
        } catch let error as DeploymentError {
            return .broken(error)
        } catch {
            return .done
        }
    }

    /// Waits until the workload is ready, which is nil; where it cannot be, that is noted, and what it comes to for the start is returned.
    private func failure(
        of workload: Workload, _ decision: ClusterPlan.Decision?, _ state: ClusterState, _ startup: StartupProgress
    ) async throws -> TaskResult? {
        let waiter = WorkloadWaiter(
            session: session, workload: workload, state: state, startup: startup, events: events, mask: mask,
            patience: patience, isKept: decision?.action == .keep,
            restore: { if let decision { try await restore(decision, state) } })
        guard let failure = try await waiter.run() else { return nil }
        if failure.kind == .rejected, let decision { await scaleToZero(decision) }
        let isTolerated = session.model.isOptional(workload.name)
        await startup.fail(workload.name, failure, isTolerated: isTolerated)
        events(Event(workload.name, .failed(failure.reason)))
        return isTolerated ? .done : .failed
    }

    /// Also where another service has failed first, or the start was interrupted: each request runs in a task that nobody cancels.
    private func endRejections(in state: ClusterState, _ startup: StartupProgress) async {
        for decision in plan.decisions {
            guard let workload = decision.object.workload, let view = await state.view(of: workload),
                !view.rejections(patience).isEmpty, await startup.failure(workload)?.kind != .rejected
            else { continue }
            await Task { await scaleToZero(decision) }.value
        }
    }

    /// A Deployment whose pods are rejected gets a new one several times a second, for ever: a start that gives up ends that.
    private func scaleToZero(_ decision: ClusterPlan.Decision) async {
        guard decision.object.key.type == .deployments else { return }
        // Another mark, so that the next start sees that this is not what it wants.
        let node = decision.object.node.setting(["spec", "replicas"], .plain("0"))
            .setting(["metadata", "annotations", ClusterNames.applied], .string("stopped"))
        guard (try? await session.client.apply(node, force: true)) != nil else { return }
        let text = "\(decision.object.key) is scaled to 0: its pods would be created and rejected forever"
        events(Event(decision.object.workload, .note(Diagnostic(.warning, at: nil, text))))
    }

    private func awaitDependencies(of workload: Workload, _ startup: StartupProgress) async throws {
        for dependency in workload.dependencies where workloads.contains(where: { $0.name == dependency.workload }) {
            let stage: StartupProgress.Stage =
                switch dependency.condition {
                case .started: .started
                case .healthy: .ready
                case .completedSuccessfully: .completed
                }
            if await startup.stage(dependency.workload) >= stage { continue }
            events(Event(workload.name, .waiting(for: dependency.service)))
            let failure = try await startup.wait(for: dependency.workload, stage)
            guard let failure, dependency.isRequired else { continue }
            throw ServiceFailure(
                workload.name, .dependencyFailed,
                "not started: \(dependency.service), which it depends on, \(failure.kind == .dependencyFailed ? "was not started either" : "failed")"
            )
        }
    }
}

extension Node {
    var isEmptyMapping: Bool { mapping?.entries.isEmpty ?? false }
}
