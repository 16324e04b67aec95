import KubernetesClient
import KubernetesObjects
import Rendering
import YAML

extension ClusterSession {
    /// Decides what to do with each object; asks the server what an apply would come to, and changes nothing.
    func plan(
        _ observed: ClusterObserved, secrets: ClusterSecrets? = nil, options: StartOptions
    ) async throws(DeploymentError) -> ClusterPlan {
        let secrets = try await secretsOrPlanned(secrets, observed)
        let notes = TemplateNotes(model: model, secrets: secrets, images: await imageIDs?(model.images) ?? [:])
        let desired = try await assigningNodePorts(desiredObjects(observed, notes), observed).map { $0.fingerprinted() }
        let chosen = model.selection(options.services)
        let started = desired.filter { object in
            (object.workload ?? object.selectedWorkload).map { chosen?.contains($0) ?? true } ?? true
        }
        let decisions = try await each(started) { object async throws(DeploymentError) in
            try await decide(object, observed, options)
        }
        var kept = Set(desired.map(\.key))
        kept.formUnion(secrets.keys(namespace))
        let known = observed.inventory.keys.union(
            observed.objects.filter { observed.isOwn($0.value, model) }.map(\.key)
        ).filter { $0.type != .namespaces && $0.name != ClusterNames.inventory(model.id) }
        let gone = known.subtracting(kept)
        let present = gone.filter { observed.objects[$0].map { observed.isOwn($0, model) } ?? false }
        let keptData = present.filter(\.isData)
        let inventory = Inventory(keys: kept.union(keptData))
        return ClusterPlan(
            decisions: decisions + secrets.decisions(namespace, observed),
            dropped: present.filter { !$0.isData }.sorted(),
            keptData: keptData.sorted(), namespace: namespace, createsNamespace: observed.namespace == nil,
            inventory: inventory,
            writesInventory: !observed.hasInventory || observed.inventory != inventory)
    }

    private func secretsOrPlanned(
        _ secrets: ClusterSecrets?, _ observed: ClusterObserved
    ) async throws(DeploymentError) -> ClusterSecrets {
        if let secrets { return secrets }
        return try ClusterSecrets.planned(model, observed)
    }

    /// The objects in the order in which they are applied, with what ties pods to the Secrets that they use.
    private func desiredObjects(
        _ observed: ClusterObserved, _ notes: TemplateNotes
    ) throws(DeploymentError) -> [DesiredObject] {
        var result: [DesiredObject] = []
        for object in model.rendered.objects {
            guard let type = ResourceType.of(apiVersion: object.apiVersion, kind: object.kind) else {
                throw DeploymentError(.unsupported, "\(object.identity): no kind that so applies")
            }
            // The namespace is made or left alone, never changed.
            if type == .namespaces { continue }
            let key = ObjectKey(type, object.name, namespace: namespace)
            do {
                var node = try object.node()
                if key.isWorkload { node = notes.noted(node, workload: object.name, live: observed.objects[key]) }
                if type == .persistentVolumes { node = ownerNoted(node) }
                if type == .ingresses { node = observed.ingress?.completing(node) ?? node }
                result.append(DesiredObject(key: key, node: node, workload: key.isWorkload ? object.name : nil))
            } catch {
                throw DeploymentError(.unsupported, "\(object.identity) cannot be written", cause: "\(error)")
            }
        }
        return result
    }

    /// A volume outlives its namespace: it remembers itself whose it is.
    private func ownerNoted(_ node: Node) -> Node {
        node.setting(["metadata", "annotations", Keys.deploymentDirectory], .string(model.owner))
            .setting(["metadata", "annotations", ClusterNames.host], .string(hostName()))
    }

    private func decide(
        _ object: DesiredObject, _ observed: ClusterObserved, _ options: StartOptions
    ) async throws(DeploymentError) -> ClusterPlan.Decision {
        guard let live = observed.objects[object.key], !live.isTerminating else {
            return try await decideCreation(of: object, observed, options)
        }
        var decision = ClusterPlan.Decision(object: object, live: live, action: .keep)
        if let refusal = refuseForeign(object, live, observed) {
            decision.action = .update
            decision.refusal = refusal
            return decision
        }
        if model.completedJobs.contains(object.key.name), object.key.type == .jobs, live.isTrue("Complete") {
            return decision
        }
        if let reason = reasonToRunAgain(object, live) ?? reasonToReplace(object, live) {
            decision.action = .recreate
            decision.reason = reason
            return decision
        }
        decision.isReleased = object.key.type == .persistentVolumes && live.status?["phase"]?.text == "Released"
        if options.replacesAll, object.key.isLasting, !isSpared(object, options) {
            decision.action = .update
            decision.reason = "it is restarted"
            decision.rolls = true
        }
        if decision.isReleased || !object.isUnchanged(in: live) { try await compare(live, &decision, options) }
        return decision
    }

    /// Asks the server what it would make of the object that is there.
    private func compare(
        _ live: LiveObject, _ decision: inout ClusterPlan.Decision, _ options: StartOptions
    ) async throws(DeploymentError) {
        let object = decision.object
        do {
            let result = try await client.apply(object.node, force: options.forceConflicts, isDryRun: true)
            let diff = ObjectDiff(from: live.node, to: result.node, isSecret: object.isSecret)
            guard !diff.isEmpty || decision.isReleased else { return }
            // A template that changes replaces the pods by itself.
            if result.template?.json() != live.template?.json() { decision.rolls = false }
            decision.action = .update
            decision.reason = decision.isReleased ? "its claim has gone: bound again" : diff.headline
            if diff.lines.count == 1, live.imagesNote != result.imagesNote {
                decision.reason = "an image was built again: \(result.imagesNote ?? "")"
            }
            decision.changes = diff.lines
        } catch {
            try refuse(error, &decision, options)
        }
    }

    /// The server is asked what it would say of an object that is not there; where its namespace is not there either, it cannot be.
    private func decideCreation(
        of object: DesiredObject, _ observed: ClusterObserved, _ options: StartOptions
    ) async throws(DeploymentError) -> ClusterPlan.Decision {
        var decision = ClusterPlan.Decision(object: object, action: .create)
        if observed.objects[object.key] != nil {
            decision.reason = "it is being deleted"
            return decision
        }
        let hasPlace = observed.namespace.map { !$0.isTerminating } ?? false
        guard hasPlace || !object.key.type.isNamespaced else { return decision }
        do {
            _ = try await client.apply(object.node, force: options.forceConflicts, isDryRun: true)
        } catch {
            // What is not a word about the object, such as a server that is away, is the start's own affair.
            guard error.code == .invalid || error.code == .forbidden, let status = error.status else { return decision }
            decision.refusal = DeploymentError(
                .cannotCreate, "\(object.key) is refused by the cluster", cause: status.message)
        }
        return decision
    }

    private func isSpared(_ object: DesiredObject, _ options: StartOptions) -> Bool {
        let services = model.rendered.workloads.first { $0.name == object.key.name }?.services ?? []
        return !options.spared.isDisjoint(with: services + [object.key.name])
    }

    /// What the server would not take: kinds without data are recreated, the others are the user's decision.
    private func refuse(
        _ error: KubernetesError, _ decision: inout ClusterPlan.Decision, _ options: StartOptions
    ) throws(DeploymentError) {
        let key = decision.object.key
        guard let status = error.status, error.code == .conflict || error.code == .invalid || error.code == .forbidden
        else { throw DeploymentError(error) }
        decision.action = .update
        if !status.fieldConflicts.isEmpty {
            // What binds a claim to its volume is the cluster's: nobody gets it by force.
            let isVolume = key.type == .persistentVolumes || key.type == .persistentVolumeClaims
            decision.refusal =
                isVolume
                ? immovable(key, status.fieldConflicts.map(\.field).joined(separator: ", "))
                : conflict(key, status.fieldConflicts)
            return
        }
        let fields = status.causes.map(\.field).filter { !$0.isEmpty }.joined(separator: ", ")
        decision.reason = fields.isEmpty ? status.message : "\(fields) cannot be changed"
        switch key.type {
        case .jobs where error.code == .invalid, .services where error.code == .invalid,
            .endpointSlices where error.code == .invalid:
            decision.action = .recreate
        case .deployments, .daemonSets:
            if options.recreatesWorkloads, error.code == .invalid {
                decision.action = .recreate
            } else {
                decision.refusal = DeploymentError(
                    .cannotCreate, "\(key) cannot be changed", cause: status.message,
                    hint: "`so deployment start --recreate` deletes and recreates it; its volumes stay")
            }
        case .persistentVolumes, .persistentVolumeClaims:
            decision.refusal = immovable(key, status.message)
        default:
            decision.refusal = DeploymentError(.cannotCreate, "\(key) is refused by the cluster", cause: status.message)
        }
    }

    private func immovable(_ key: ObjectKey, _ cause: String) -> DeploymentError {
        DeploymentError(
            .cannotCreate, "\(key) cannot be changed, and so never deletes data to recreate it", cause: cause,
            hint: "write the old value back, or move the data yourself: back it up, `so deployment stop "
                + "--delete-volumes`, start, restore")
    }

    private func conflict(_ key: ObjectKey, _ causes: [APIStatus.Cause]) -> DeploymentError {
        let fields = causes.map { "\($0.field) (\($0.message))" }.joined(separator: ", ")
        return DeploymentError(
            .notPermitted, "\(key): another manager owns what this deployment sets", cause: fields,
            hint: "take the fields over with `so deployment start --force-conflicts`, or leave them out of the stack")
    }

    /// A Job that failed is run again; one that has ended well stays.
    private func reasonToRunAgain(_ object: DesiredObject, _ live: LiveObject) -> String? {
        guard object.key.type == .jobs, live.condition("Failed")?["status"]?.text == "True" else { return nil }
        return "the job failed: it is run again"
    }

    /// A workload's selector names its deployment and cannot be changed: those of a predecessor are recreated.
    private func reasonToReplace(_ object: DesiredObject, _ live: LiveObject) -> String? {
        guard object.key.isWorkload, live.labels[Keys.instance] != model.id else { return nil }
        return "it belongs to the deployment that this one replaces"
    }

    private func refuseForeign(
        _ object: DesiredObject, _ live: LiveObject, _ observed: ClusterObserved
    ) -> DeploymentError? {
        if observed.isOwn(live, model) { return nil }
        if object.key.type == .persistentVolumes, live.annotations[Keys.deploymentDirectory] == model.owner,
            live.annotations[ClusterNames.host] == hostName()
        {
            return nil
        }
        let owner = live.labels[Keys.instance]
        let isOther = live.labels[Keys.managedBy] == "so" && owner != nil
        return DeploymentError(
            .notPermitted,
            isOther
                ? "\(object.key) belongs to the deployment \(owner ?? "")"
                : "\(object.key) exists already, and no deployment of so made it",
            hint: "choose another `namespace:` in spec.yml, delete the object, or hand it over: kubectl label "
                + "\(object.key.type.resource) \(object.key.name) \(object.key.namespace.map { "-n \($0) " } ?? "")--overwrite "
                + "\(Keys.managedBy)=so \(Keys.instance)=\(model.id)")
    }
}

extension [ObjectKey] {
    /// In a fixed order: workloads first.
    func sorted() -> [ObjectKey] {
        sorted { ($0.isWorkload ? 0 : 1, $0.type.kind, $0.name) < ($1.isWorkload ? 0 : 1, $1.type.kind, $1.name) }
    }
}

extension Set<ObjectKey> {
    func sorted() -> [ObjectKey] { Array(self).sorted() }
}
