import ExternalTools
import FoundationEssentials
import YAML

extension PodmanRuntime {
    package func start(
        _ deployment: DeploymentModel, options: StartOptions, events: @escaping EventHandler
    ) async throws(DeploymentError) -> StartResult {
        let since = Int(Date().timeIntervalSince1970)
        let preparation = try await Preparation.make(deployment, podman: podman, commit: true)
        for finding in preparation.translation.findings where finding.severity == .warning {
            events(Event(nil, .note(finding)))
        }
        try Preflight.refuse(preparation, deployment)
        let routeHost = RouteHost(podman: podman, settings: routes, model: deployment, events: events)
        let routed = try await routeHost.observe(preparation.translation.routes)
        try await routeHost.prepare(routed)
        var observed = try await observe(deployment, preparation, networks: true)
        var plan = Planner.plan(deployment, preparation, observed, options)
        let pulled = try await Images(podman: podman, model: deployment, choice: options.pull, events: events)
            .provide(for: plan, existing: observed.images)
        if pulled != observed.images {
            observed.images = pulled
            plan = Planner.plan(deployment, preparation, observed, options)
        }
        let pods = plan.summary
        let summary = Plan(items: pods.items + routed.items)
        events(Event(nil, .planned(summary)))
        var gateway: String?
        if !pods.isEmpty {
            gateway = try await Preflight.prepareHost(
                deployment, preparation, plan, observed, podman: podman, events: events)
        }
        let operation = StartOperation(
            podman: podman, model: deployment, options: options, preparation: preparation, plan: plan,
            images: observed.images, gateway: gateway, events: events, board: Board(replicas: plan.replicas),
            gate: makers)
        try await operation.execute(since: since)
        if !routed.isSettled { try await routeHost.apply(routed.wanted) }
        let orphans = options.keepsOrphans ? preparation.orphans(in: observed) : []
        if !orphans.isEmpty { events(Event(nil, .note(Self.orphanWarning(orphans)))) }
        // What orphans, and the pods that a start of some services leaves alone, still use is not superfluous.
        if !pods.isEmpty, orphans.isEmpty, options.services.isEmpty {
            try await Leftovers(podman: podman, model: deployment).prune(preparation, networks: observed.networks)
        }
        return StartResult(
            plan: summary, published: plan.published, routes: routed.wanted.addresses(routed.ports))
    }
}

extension PodmanRuntime {
    private static func orphanWarning(_ names: [String]) -> Diagnostic {
        Diagnostic(
            .warning, at: nil, "the files have no more what still runs: \(names.joined(separator: ", "))",
            hint: "remove it: so up --remove-orphans")
    }
}

extension Preparation {
    /// The pods of services that the files have no more.
    fileprivate func orphans(in observed: Observed) -> [String] {
        superfluous(in: observed).filter(isOrphan).map(\.Name).sorted()
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
