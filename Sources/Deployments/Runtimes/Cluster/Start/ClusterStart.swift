import KubernetesClient
import KubernetesObjects
import Rendering
import YAML

extension ClusterRuntime {
    package func start(
        _ deployment: DeploymentModel, options: StartOptions, events: @escaping EventHandler
    ) async throws(DeploymentError) -> StartResult {
        try await begin(events)
        return try await withSession(deployment) { session async throws(DeploymentError) in
            try await session.refuseMissingReferences()
            try await prepare(deployment, events)
            let result = try await session.start(options: options, events: events)
            try await session.awaitAnswers(result.published, patience: answerPatience, events: events)
            return result
        }
    }
}

extension ClusterSession {
    /// - Parameter attempts: how often it begins anew where the namespace goes meanwhile, as by a stop that was killed.
    func start(
        options: StartOptions, events: @escaping EventHandler, attempts: Int = 3
    ) async throws(DeploymentError) -> StartResult {
        let observed = try await observeSettled(events)
        do {
            return try await start(from: observed, options: options, events: events)
        } catch {
            guard attempts > 1, error.code != .cancelled, await hasLostNamespace() else { throw error }
        }
        return try await start(options: options, events: events, attempts: attempts - 1)
    }

    private func start(
        from settled: ClusterObserved, options: StartOptions, events: @escaping EventHandler
    ) async throws(DeploymentError) -> StartResult {
        var observed = settled
        if let warning = observed.ingress?.warning { events(Event(nil, .note(Diagnostic(.warning, at: nil, warning)))) }
        var plan = try await plan(observed, options: options)
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
        let selected = selection(options.services)
        let operation = ClusterStartOperation(
            session: self, plan: plan, observed: observed, options: options, events: events, selected: selected,
            mask: SecretMask(secrets.values))
        try await operation.execute()
        // Last: a start that is killed before finds its predecessor again.
        if observed.predecessor != nil { try await takeNamespaceOver() }
        let published = try await published()
        return StartResult(plan: summary, published: published, routes: model.routeAddresses)
    }

    /// The workloads that are started: those named and all that they depend on; all where none is named.
    private func selection(_ services: [String]) -> Set<String>? {
        guard !services.isEmpty else { return nil }
        var open = model.rendered.workloads.filter { workload in
            services.contains(workload.name) || workload.services.contains { services.contains($0) }
        }.map(\.name)
        var chosen: Set<String> = []
        while let name = open.popLast() {
            guard chosen.insert(name).inserted else { continue }
            open += model.rendered.workloads.first { $0.name == name }?.dependencies.map(\.workload) ?? []
        }
        return chosen
    }

    // MARK: The namespace

    func createNamespace() async throws(DeploymentError) {
        guard let object = model.rendered.objects.first(where: { $0.kind == "Namespace" }),
            let node = try? object.node()
        else { throw DeploymentError(.unsupported, "nothing was rendered for the namespace \(namespace)") }
        let noted = node.setting(["metadata", "annotations", ClusterNames.host], .string(hostName()))
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
