import ExternalTools

/// What a start makes superfluous, and what an interrupted one may have left.
struct OrphanPruner {
    let podman: Podman
    let model: DeploymentModel

    /// Removes secrets, files and pod volumes that none of the deployment's pods uses, and networks of a namespace that it has left.
    ///
    /// - Parameter networks: those that the start has found.
    func prune(_ preparation: Preparation, networks: [PodmanNetworkRecord]) async throws(DeploymentError) {
        let containers = preparation.translation.pods.flatMap(\.all)
        FileSetStore(model).prune(keeping: Set(containers.flatMap(\.fileSets).map(\.digest)))
        do {
            let used = Set(containers.flatMap(\.secretObjects).map(\.name))
            if !used.isEmpty { try await removeSecrets(keeping: used) }
            let ephemeral = Set(preparation.translation.pods.flatMap(\.ephemeralVolumes))
            if !ephemeral.isEmpty { try await removeEphemeralVolumes(keeping: ephemeral) }
            let own = networks.filter { $0.labels?[PodmanNames.deployment] == model.id }
            let wanted = Set(model.podmanNetworks.map(\.name))
            try await remove(own.filter { !wanted.contains($0.name) })
        } catch {
            throw DeploymentError(podman: error)
        }
    }

    func removeSecrets(keeping used: Set<String>) async throws(CommandFailure) {
        let stale = try await podman.secretNames().filter {
            PodmanNames.isSecret($0, of: model.namespace) && !used.contains($0)
        }
        if !stale.isEmpty { try await podman.change(PodmanArguments.removeSecrets(stale)) }
    }

    /// The deployment's networks, that of a namespace which it has left too; one that others use stays.
    func removeNetworks(keeping used: String?, events: EventHandler = { _ in }) async throws(CommandFailure) {
        let networks = try await podman.records(
            PodmanNetworkRecord.self, PodmanArguments.networks(label: PodmanNames.deployment, value: model.id))
        try await remove(networks.filter { $0.name != used }, events: events)
    }

    private func remove(
        _ networks: [PodmanNetworkRecord], events: EventHandler = { _ in }
    ) async throws(CommandFailure) {
        for network in networks {
            let removal = try await podman.command(
                PodmanArguments.removeNetwork(network.name), cancellation: .finish
            ).result()
            let (gone, name) = (removal.status == 0, "network \(network.name)")
            events(Event(nil, gone ? .deleted(name) : .kept("\(name): still in use")))
        }
    }

    /// Whether the namespace is another deployment's: what is named after it is not ours then.
    func isNamespaceForeign() async throws(CommandFailure) -> Bool {
        let networks = try await podman.records(PodmanNetworkRecord.self, PodmanArguments.allNetworks)
        let prefix = PodmanNames.network(model.namespace, "")
        return networks.contains {
            ($0.name == model.namespace || $0.name.hasPrefix(prefix))
                && ![nil, model.id].contains($0.labels?[PodmanNames.deployment])
        }
    }

    /// Volumes that live with a pod which is gone.
    func removeEphemeralVolumes(keeping used: Set<String>) async throws(CommandFailure) {
        let volumes = try await podman.records(
            PodmanVolumeRecord.self, PodmanArguments.volumes(label: PodmanNames.deployment, value: model.id))
        let stale = volumes.filter { $0.Labels?[PodmanNames.pod] != nil && !used.contains($0.Name) }.map(\.Name)
        if !stale.isEmpty { try await podman.change(PodmanArguments.removeVolumes(stale)) }
    }
}
