import ExternalTools
import FoundationEssentials
import Rendering

extension PodmanRuntime {
    package func runJob(
        _ deployment: DeploymentModel, job: String, events: @escaping EventHandler,
        line: @escaping @Sendable (LogLine) async -> Void
    ) async throws(DeploymentError) -> Int {
        let workload = try deployment.job(named: job)
        let model = deployment.only(workload)
        let preparation = try await Preparation.make(deployment, podman: podman, commit: true)
        try Preflight.refuse(preparation, deployment)
        let observed = try await observe(deployment, preparation, networks: true)
        var plan = Planner.plan(deployment, preparation, observed)
        plan.decisions = plan.decisions.filter { $0.pod.workload == workload.name }.map { $0.recreated() }
        plan.dropped = []
        let images = try await Images(podman: podman, model: deployment, events: events)
            .provide(for: plan, existing: observed.images)
        let gateway = try await Preflight.prepareHost(
            model, preparation, plan, observed, podman: podman, events: events)
        let operation = StartOperation(
            podman: podman, model: model, options: StartOptions(), preparation: preparation, plan: plan, images: images,
            gateway: gateway, events: events, startup: StartupProgress(replicas: plan.replicas),
            watch: ContainerExitMonitor(containerEvents), gate: makers)
        return try await run(operation, workload, deployment, line)
    }

    /// Starts the job, hands out what it writes, and returns its exit code.
    private func run(
        _ operation: StartOperation, _ workload: Workload, _ deployment: DeploymentModel,
        _ line: @escaping @Sendable (LogLine) async -> Void
    ) async throws(DeploymentError) -> Int {
        do {
            var worst = 0
            for decision in operation.plan.decisions {
                let ids = try await operation.bringUp(decision)
                let logs = LogOperation(
                    podman: podman, events: containerEvents, deployment: deployment.id, workloads: [workload.name],
                    request: LogRequest(follow: true), line: line)
                try await logs.follow()
                for id in ids.values.sorted() { worst = max(worst, try await operation.exitCode(of: id)) }
            }
            return worst
        } catch {
            switch Interruption(error) {
            case .failure(let failure):
                var failed = DeploymentError(.failed, "\(failure.service) failed")
                failed.failures = [failure]
                throw failed
            case .podman(let error): throw error
            case .abandoned, .cancelled: throw DeploymentError(.cancelled, "cancelled")
            }
        }
    }
}

extension DeploymentModel {
    /// The same deployment, in which nothing but this workload is to be started.
    fileprivate func only(_ workload: Workload) -> DeploymentModel {
        var model = self
        model.rendered.workloads = model.rendered.workloads.filter { $0.name == workload.name }
        return model
    }
}

extension PodDecision {
    /// The same pod, to be made again whatever there is.
    fileprivate func recreated() -> PodDecision {
        var decision = self
        decision.action = existing == nil ? .create : .replace
        decision.reason = "the job is run again"
        return decision
    }
}
