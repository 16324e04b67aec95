import KubernetesClient
import KubernetesObjects
import Rendering
import YAML

extension ClusterRuntime {
    package func plan(
        _ deployment: DeploymentModel, options: StartOptions
    ) async throws(DeploymentError) -> StartPlan {
        try options.refusePodmanOptions()
        if let cluster = try await check() {
            let summary = deployment.plan(inNew: cluster, options)
            return StartPlan(summary, options) { (events) async throws(DeploymentError) in
                try await execute(nil, deployment, options, events)
            }
        }
        let decided = try await withSession(deployment) { session async throws(DeploymentError) in
            try await session.decide(options)
        }
        return StartPlan(decided.plan.summary, options) { (events) async throws(DeploymentError) in
            try await execute(decided, deployment, options, events)
        }
    }

    /// - Parameter decided: nil: the cluster has to be made first, and is then asked.
    private func execute(
        _ decided: DecidedStart?, _ deployment: DeploymentModel, _ options: StartOptions,
        _ events: @escaping EventHandler
    ) async throws(DeploymentError) -> StartResult {
        try await begin(events)
        return try await withSession(deployment) { session async throws(DeploymentError) in
            if decided == nil { try await session.refuseMissingReferences() }
            try await prepare(deployment, events)
            let result = try await session.start(decided, options: options, events: events)
            // What answered before goes on; only kind's node can have been started again meanwhile.
            if result.changed || session.nodePorts != nil || session.entrance != nil {
                try await session.awaitAnswers(result.published, patience: answerPatience, events: events)
            }
            return result
        }
    }
}

/// What a start does in a cluster, and what it was decided by.
struct DecidedStart: Sendable {
    var observed: ClusterObserved
    var plan: ClusterPlan
}

extension DeploymentModel {
    /// What a start does where even the cluster has yet to be made.
    fileprivate func plan(inNew cluster: String, _ options: StartOptions) -> Plan {
        let chosen = selection(options.services)
        let workloads = Set(rendered.workloads.map(\.name))
        let objects = rendered.objects.filter { object in
            let isWorkload =
                ["Deployment", "DaemonSet", "Job"].contains(object.kind) && workloads.contains(object.name)
            return !isWorkload || chosen?.contains(object.name) ?? true
        }
        let made = objects.map { ($0.kind, $0.name) } + rendered.secrets.map { ("Secret", $0.name) }
        let new = Plan.Item(kind: "Cluster", name: cluster, action: .create, reason: "this host has none by that name")
        var plan = Plan(items: [new] + made.map { Plan.Item(kind: $0.0, name: $0.1, action: .create) })
        plan.unchecked = ClusterPlan.unchecked("cluster \(cluster)")
        return plan
    }
}

extension ClusterSession {
    /// Looks at the cluster and decides; changes nothing.
    func decide(_ options: StartOptions) async throws(DeploymentError) -> DecidedStart {
        let observed = try await observe()
        try observed.refuseForeignNamespace(model)
        try await refuseMissingReferences()
        let plan = try await plan(observed, options: options)
        try plan.throwRefusals()
        return DecidedStart(observed: observed, plan: plan)
    }

    /// - Parameters:
    ///   - decided: what was decided; nil: that is done here, too.
    ///   - attempts: how often it begins again where the namespace goes meanwhile, as by a stop that was killed.
    func start(
        _ decided: DecidedStart? = nil, options: StartOptions, events: @escaping EventHandler, attempts: Int = 3
    ) async throws(DeploymentError) -> StartResult {
        let current = try await stillValid(decided)
        let observed = if let current { current.observed } else { try await observeSettled(events) }
        do {
            return try await start(from: observed, current?.plan, options: options, events: events)
        } catch {
            guard attempts > 1, error.code != .cancelled, await hasLostNamespace() else { throw error }
        }
        return try await start(options: options, events: events, attempts: attempts - 1)
    }

    /// What was decided, unless something is being deleted, which is waited for, or the means by which routes are served were made since.
    private func stillValid(_ decided: DecidedStart?) async throws(DeploymentError) -> DecidedStart? {
        guard let decided, decided.observed.namespace?.isTerminating != true,
            decided.observed.terminating(model).isEmpty, try await ingressDefaults() == decided.observed.ingress
        else { return nil }
        return decided
    }

    private func start(
        from settled: ClusterObserved, _ decided: ClusterPlan?, options: StartOptions, events: @escaping EventHandler
    ) async throws(DeploymentError) -> StartResult {
        var observed = settled
        if let warning = observed.ingress?.warning { events(Event(nil, .note(Diagnostic(.warning, at: nil, warning)))) }
        var plan = if let decided { decided } else { try await self.plan(observed, options: options) }
        try plan.throwRefusals()
        if plan.createsNamespace { try await createNamespace() }
        // With the values that the cluster now has, the Secrets and what depends on them are decided for good.
        var secrets = try ClusterSecrets.planned(model, observed)
        if let generated = secrets.generated, secrets.generates {
            let live = try await ensureGenerated(generated)
            observed.objects[ObjectKey(.secrets, live.name, namespace: namespace)] = live
            secrets = try ClusterSecrets.planned(model, observed)
            let isNew = plan.createsNamespace
            plan = try await self.plan(observed, secrets: secrets, options: options)
            plan.createsNamespace = isNew
        }
        let summary = plan.summary
        events(Event(nil, .planned(summary)))
        let operation = ClusterStartOperation(
            session: self, plan: plan, observed: observed, options: options, events: events,
            selected: model.selection(options.services), mask: SecretMask(secrets.values))
        try await operation.execute()
        // Last: a start that is killed before finds its predecessor again.
        if observed.predecessor != nil { try await takeNamespaceOver() }
        let published = try await published()
        return StartResult(plan: summary, published: published, routes: model.routeAddresses)
    }

    // MARK: The namespace

    func createNamespace() async throws(DeploymentError) {
        guard let object = model.rendered.objects.first(where: { $0.kind == "Namespace" }),
            let node = try? object.node()
        else { throw DeploymentError(.unsupported, "nothing was rendered for the namespace \(namespace)") }
        var noted = node.setting(["metadata", "annotations", ClusterNames.host], .string(hostName()))
            .setting(["metadata", "annotations", Keys.deploymentDirectory], .string(model.owner))
        if let keeper = model.keeper { noted = noted.setting(["metadata", "labels", Keys.keeper], .string(keeper)) }
        do {
            _ = try await client.create(noted)
        } catch {
            // Somebody was faster: if it is another deployment, it is the owner.
            guard error.code == .alreadyExists else { throw DeploymentError(error) }
            try await observe().refuseForeignNamespace(model)
        }
    }

    private func takeNamespaceOver() async throws(DeploymentError) {
        let patch = Node.map([]).setting(["metadata", "annotations", Keys.deploymentID], .string(model.id))
            .setting(["metadata", "labels", Keys.instance], .string(model.id))
        _ = try await call { () async throws(KubernetesError) in
            try await client.mergePatch(.namespaces, namespace, namespace: nil, patch)
        }
    }

    // MARK: What must be there already

    /// Secrets, ConfigMaps and claims that pods name and that nothing here makes.
    func refuseMissingReferences() async throws(DeploymentError) {
        var wanted: [ObjectKey: String] = [:]
        let own = Set(
            model.rendered.secrets.map { "Secret/\($0.name)" } + model.rendered.objects.map(\.identity))
        for workload in model.rendered.workloads {
            guard let spec = model.rendered.podTemplate(of: workload)?.spec else { continue }
            let references = PodReferences(spec)
            let all =
                references.secrets.map { ObjectKey(.secrets, $0, namespace: namespace) }
                + references.configMaps.map { ObjectKey(.configMaps, $0, namespace: namespace) }
                + references.claims.map { ObjectKey(.persistentVolumeClaims, $0, namespace: namespace) }
            for key in all where !own.contains(key.description) {
                wanted[key] = workload.services.first ?? workload.name
            }
        }
        let keys = Array(wanted.keys).sorted()
        let found = try await each(keys) { key async throws(DeploymentError) in
            try await call { () async throws(KubernetesError) in
                try await client.get(key.type, key.name, namespace: key.namespace) != nil
            }
        }
        let missing = zip(keys, found).filter { !$0.1 }.map(\.0)
        guard !missing.isEmpty else { return }
        var error = DeploymentError(
            .failed, "what the services refer to does not exist")
        error.failures = missing.map { key in
            ServiceFailure(
                wanted[key] ?? "", .missingReference, "\(key) does not exist in the namespace \(namespace)",
                hint: key.type == .secrets
                    ? "kubectl -n \(namespace) create secret generic \(key.name) --from-literal=KEY=VALUE" : nil)
        }
        throw error
    }
}
