import ExternalTools
import FoundationEssentials
import YAML

extension PodmanRuntime {
    package func plan(
        _ deployment: DeploymentModel, options: StartOptions
    ) async throws(DeploymentError) -> StartPlan {
        try await served().decide(deployment, options)
    }

    private func decide(
        _ deployment: DeploymentModel, _ options: StartOptions
    ) async throws(DeploymentError) -> StartPlan {
        let since = Int(Date().timeIntervalSince1970)
        let preparation = try await Preparation.make(deployment, podman: podman, commit: false)
        try Preflight.refuse(preparation, deployment)
        let proxy = RouteProxy(podman: podman, settings: routes, model: deployment)
        let routed = try await proxy.observe(preparation.translation.routes)
        try await proxy.refuse(routed)
        let observed = try await observe(deployment, preparation, networks: true)
        let start = PodmanStart(self, deployment, options, since: since, preparation, routed, observed)
        return StartPlan(start.summary, options) { (events) async throws(DeploymentError) in
            try await start.execute(events)
        }
    }
}

/// A start on podman that is decided, with all that its execution needs.
private struct PodmanStart: Sendable {
    let runtime: PodmanRuntime
    let model: DeploymentModel
    let options: StartOptions
    /// When it was decided, in seconds of the epoch: what ends after that counts.
    let since: Int
    let preparation: Preparation
    let routed: RouteState
    let observed: Observed
    let plan: PodmanPlan

    init(
        _ runtime: PodmanRuntime, _ model: DeploymentModel, _ options: StartOptions, since: Int,
        _ preparation: Preparation, _ routed: RouteState, _ observed: Observed
    ) {
        (self.runtime, self.model, self.options, self.since) = (runtime, model, options, since)
        (self.preparation, self.routed, self.observed) = (preparation, routed, observed)
        plan = Planner.plan(model, preparation, observed, options)
    }

    private var podman: Podman { runtime.podman }
    var summary: Plan { Plan(items: plan.summary.items + routed.items) }

    /// The same, decided again with what is known by now.
    private func with(_ preparation: Preparation, _ images: [String: PodmanImageRecord]) -> PodmanStart {
        var observed = observed
        observed.images = images
        return PodmanStart(runtime, model, options, since: since, preparation, routed, observed)
    }

    func execute(_ events: @escaping EventHandler) async throws(DeploymentError) -> StartResult {
        let proxy = RouteProxy(podman: podman, settings: runtime.routes, model: model, events: events)
        let start = try await provided(proxy, events)
        events(Event(nil, .planned(start.summary)))
        try await start.run(events)
        if !routed.isSettled { try await proxy.apply(routed.wanted) }
        try await start.tidyUp(events)
        return StartResult(
            plan: start.summary, published: start.plan.published, routes: routed.wanted.addresses(routed.ports))
    }

    /// The same, decided with what it makes before it changes anything: secrets that have no value yet, and images that are pulled.
    private func provided(
        _ proxy: RouteProxy, _ events: @escaping EventHandler
    ) async throws(DeploymentError) -> PodmanStart {
        var start = self
        if !preparation.isCommitted {
            let committed = try await Preparation.make(model, podman: podman, commit: true)
            start = with(committed, observed.images)
        }
        for finding in start.preparation.translation.findings where finding.severity == .warning {
            events(Event(nil, .note(finding)))
        }
        try await proxy.prepare(routed)
        let images = try await Images(podman: podman, model: model, choice: options.pull, events: events)
            .provide(for: start.plan, existing: observed.images)
        return images == observed.images ? start : start.with(start.preparation, images)
    }

    private func run(_ events: @escaping EventHandler) async throws(DeploymentError) {
        var gateway: String?
        if !plan.summary.isEmpty {
            gateway = try await Preflight.prepareHost(
                model, preparation, plan, observed, podman: podman, events: events)
        }
        let operation = StartOperation(
            podman: podman, model: model, options: options, preparation: preparation, plan: plan,
            images: observed.images, gateway: gateway, events: events,
            startup: StartupProgress(replicas: plan.replicas), watch: ContainerExitMonitor(runtime.containerEvents),
            gate: runtime.makers)
        try await operation.execute(since: since)
    }

    /// What orphans, and the pods that a start of some services leaves alone, still use is not superfluous.
    private func tidyUp(_ events: EventHandler) async throws(DeploymentError) {
        let left = preparation.superfluous(in: observed).filter(preparation.isOrphan)
        let inactive = left.filter(model.isInactive)
        let orphans = options.keepsOrphans ? left.filter { !model.isInactive($0) } : []
        if !orphans.isEmpty { events(Event(nil, .note(Self.orphanWarning(orphans)))) }
        guard !plan.summary.isEmpty, orphans.isEmpty, inactive.isEmpty, options.services.isEmpty else { return }
        try await OrphanPruner(podman: podman, model: model).prune(preparation, networks: observed.networks)
    }

    private static func orphanWarning(_ pods: [PodmanPodRecord]) -> Diagnostic {
        let names = Set(pods.map { $0.label(PodmanNames.workload) ?? $0.Name }).sorted().joined(separator: ", ")
        return Diagnostic(
            .warning, at: nil, "these services are no longer in the compose files: \(names)",
            hint: "remove them: so up --remove-orphans")
    }
}

extension PodmanPlan {
    /// How many pods each workload has.
    var replicas: [String: Int] {
        Dictionary(grouping: decisions, by: \.pod.workload).mapValues(\.count)
    }

    /// The ports that the pods publish.
    var published: [PublishedPort] {
        decisions.flatMap { decision in
            decision.pod.published.map { PublishedPort(service: decision.pod.workload, port: $0) }
        }
    }
}

extension Preparation {
    /// The images that the pods run.
    var images: Set<String> { Set(translation.pods.flatMap(\.all).map(\.image)) }
}
