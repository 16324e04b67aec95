import FoundationEssentials
import KubernetesClient
import KubernetesObjects
import Rendering
import YAML

extension ClusterRuntime {
    package func stop(
        _ deployment: DeploymentModel, options: StopOptions, events: @escaping EventHandler
    ) async throws(DeploymentError) {
        try await withSession(deployment) { session async throws(DeploymentError) in
            let observed = try await session.awaitTermination(of: session.observe(), events)
            try observed.refuseForeignNamespace(deployment)
            try await ClusterStopOperation(session: session, observed: observed, options: options, events: events)
                .execute()
        }
    }

    package func data(_ deployment: DeploymentModel) async throws(DeploymentError) -> [DeploymentData] {
        try await withSession(deployment) { session async throws(DeploymentError) in
            let observed = try await session.observe()
            let keys = observed.ownKeys(deployment).filter(\.isData).sorted()
            let directories = deleteDirectory == nil ? [] : deployment.ownDirectories()
            return keys.filter { $0.type != .secrets }.map { .volume("\($0)") } + directories.map { .directory($0) }
                + (keys.contains { $0.type == .secrets } ? [.secrets] : [])
        }
    }
}

extension ClusterObserved {
    /// Everything of the deployment's that there is, whether or not its stack still has it.
    func ownKeys(_ model: DeploymentModel) -> [ObjectKey] {
        objects.filter { isOwn($0.value, model) }.map(\.key)
    }
}

/// One stop. It asks the cluster what there is, and needs nothing of what was rendered but the order.
private struct ClusterStopOperation: Sendable {
    let session: ClusterSession
    let observed: ClusterObserved
    let options: StopOptions
    let events: EventHandler

    private var model: DeploymentModel { session.model }

    func execute() async throws(DeploymentError) {
        guard let space = observed.namespace else {
            // Volumes outlive the namespace.
            if options.deleteVolumes { try await deleteData(observed.ownKeys(model).filter(\.isData)) }
            return
        }
        try await refuseSharedNamespace()
        let inventory = ObjectKey(.configMaps, ClusterNames.inventory(model.id), namespace: session.namespace)
        let own = observed.ownKeys(model).filter { $0 != inventory }
        var chosen: Set<String> = []
        for service in options.services { chosen.insert(try model.workload(named: service).name) }
        for wave in waves(own.filter { $0.isWorkload && (chosen.isEmpty || chosen.contains($0.name)) }) {
            _ = try await session.each(wave) { key async throws(DeploymentError) in try await removeWorkload(key) }
        }
        guard chosen.isEmpty else { return }
        try await removeRuns()
        let rest = own.filter { !$0.isWorkload && !$0.isData }
        _ = try await session.each(rest) { key async throws(DeploymentError) in
            try await session.remove(key, live: observed.objects[key])
        }
        let data = own.filter(\.isData)
        if options.deleteVolumes { try await deleteData(data) }
        let left = options.deleteVolumes ? [] : data
        if left.isEmpty {
            try await session.remove(inventory, live: observed.objects[inventory])
        } else if observed.inventory.keys != Set(left) {
            try await session.write(Inventory(keys: Set(left)))
        }
        if options.deleteNamespace { try await deleteNamespace(space) }
    }

    /// Workloads that nothing depends on go first.
    private func waves(_ keys: [ObjectKey]) -> [[ObjectKey]] {
        var remaining = keys
        var waves: [[ObjectKey]] = []
        while !remaining.isEmpty {
            let names = Set(remaining.map(\.name))
            let needed = Set(
                model.rendered.workloads.filter { names.contains($0.name) }.flatMap(\.dependencies).map(\.workload))
            let free = remaining.filter { !needed.contains($0.name) }
            let wave = free.isEmpty ? remaining : free
            waves.append(wave)
            remaining.removeAll { wave.contains($0) }
        }
        return waves
    }

    /// Pods of their own that nobody removed, or that still run.
    private func removeRuns() async throws(DeploymentError) {
        let selection = Selection(
            namespace: session.namespace, labels: "\(Keys.instance)=\(model.id),\(ClusterNames.run)")
        let pods = try await session.call { () async throws(KubernetesError) in
            try await session.client.list(.pods, selection).items
        }
        _ = try await session.each(pods) { pod async throws(DeploymentError) in
            try await session.remove(ObjectKey(.pods, pod.name, namespace: session.namespace), live: pod)
        }
    }

    private func removeWorkload(_ key: ObjectKey) async throws(DeploymentError) {
        events(Event(key.name, .stopping))
        if let seconds = options.graceSeconds { try await hurry(key, seconds) }
        try await session.remove(key, live: observed.objects[key])
        events(Event(key.name, .removed))
    }

    /// A workload's deletion gives its pods their own grace: pods that shall end sooner are deleted themselves.
    private func hurry(_ key: ObjectKey, _ seconds: Int) async throws(DeploymentError) {
        _ = try await session.call { () async throws(KubernetesError) in
            try await session.client.delete(key.type, key.name, namespace: key.namespace, propagation: .foreground)
        }
        let selection = Selection(
            namespace: session.namespace, labels: "\(Keys.instance)=\(model.id),\(Keys.name)=\(key.name)")
        let pods = try await session.call { () async throws(KubernetesError) in
            try await session.client.list(.pods, selection).items
        }
        _ = try await session.each(pods) { pod async throws(DeploymentError) in
            try await session.call { () async throws(KubernetesError) in
                try await session.client.delete(
                    .pods, pod.name, namespace: session.namespace, uid: pod.uid, graceSeconds: seconds)
            }
        }
    }

    // MARK: Data

    /// Claims, then volumes, then what lies in the deployment's own directory, and last the secrets that guarded it.
    private func deleteData(_ keys: [ObjectKey]) async throws(DeploymentError) {
        for type in [ResourceType.persistentVolumeClaims, .persistentVolumes] {
            let some = keys.filter { $0.type == type }
            _ = try await session.each(some) { key async throws(DeploymentError) in
                try await session.remove(key, live: observed.objects[key])
                events(Event(nil, .deleted("\(key)")))
            }
        }
        try await deleteDirectories(keys)
        for key in keys where key.type == .secrets {
            try await session.remove(key, live: observed.objects[key])
            events(Event(nil, .deleted("generated secrets")))
        }
    }

    private func deleteDirectories(_ keys: [ObjectKey]) async throws(DeploymentError) {
        guard let delete = session.deleteDirectory else {
            for path in nodePaths(keys) { events(Event(nil, .kept("\(path) on the nodes: so cannot reach it"))) }
            return
        }
        for path in model.keptDirectories() { events(Event(nil, .kept("\(path): not made by so"))) }
        for path in model.ownDirectories() {
            try await delete(path)
            events(Event(nil, .deleted(path)))
        }
    }

    private func nodePaths(_ keys: [ObjectKey]) -> [String] {
        keys.compactMap { key in
            key.type == .persistentVolumes
                ? observed.objects[key]?.spec?["hostPath"]?["path"]?.text : nil
        }.sorted()
    }

    /// Refuses before anything is stopped: a namespace is deleted with all that it holds.
    private func refuseSharedNamespace() async throws(DeploymentError) {
        guard options.deleteNamespace, observed.namespace != nil, observed.ownsNamespace(model) else { return }
        let others = try await NamespaceContent(session: session, observed: observed).foreign()
        guard others.isEmpty else {
            throw DeploymentError(
                .notPermitted,
                "the namespace \(session.namespace) also holds \(others.prefix(5).joined(separator: ", "))"
                    + (others.count > 5 ? " and \(others.count - 5) more" : ""),
                hint: "move or delete them, or leave the namespace: stop without --delete-namespace")
        }
    }

    private func deleteNamespace(_ space: LiveObject) async throws(DeploymentError) {
        guard observed.ownsNamespace(model) else {
            events(Event(nil, .kept("namespace \(session.namespace): this deployment did not make it")))
            return
        }
        // A stop takes as long as the pods' grace: somebody may have come meanwhile.
        try await refuseSharedNamespace()
        try await session.remove(ObjectKey(.namespaces, session.namespace, namespace: nil), live: space)
        events(Event(nil, .deleted("namespace \(session.namespace)")))
    }
}
