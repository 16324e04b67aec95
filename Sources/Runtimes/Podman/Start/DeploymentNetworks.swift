import ExternalTools
import Rendering

/// The networks of one deployment in podman: one for all of its pods, or those that keep them apart.
struct DeploymentNetworks {
    let model: DeploymentModel

    init(_ model: DeploymentModel) { self.model = model }

    /// Those that are there already.
    ///
    /// - Parameter networks: every network of this podman.
    /// - Throws: `notPermitted` where the namespace is another deployment's, `failed` where a network is otherwise than it is to be.
    func owned(_ networks: [PodmanNetworkRecord]) throws(DeploymentError) -> [PodmanNetworkRecord] {
        for network in networks where isOfNamespace(network.name) { try refuseForeign(network) }
        var result: [PodmanNetworkRecord] = []
        for wanted in model.podmanNetworks {
            guard let network = networks.first(where: { $0.name == wanted.name }) else { continue }
            guard wanted.settings.map({ network.matches($0) }) ?? true else {
                throw DeploymentError(
                    .failed, "the network \(network.name) was made with other settings than the files have now",
                    hint: "\(model.command("stop") ?? "stop it"), then start: its pods are made again")
            }
            result.append(network)
        }
        return result
    }

    private func isOfNamespace(_ name: String) -> Bool {
        name == model.namespace || name.hasPrefix(PodmanNames.network(model.namespace, ""))
    }

    private func refuseForeign(_ network: PodmanNetworkRecord) throws(DeploymentError) {
        if let holder = network.labels?[PodmanNames.deployment], holder != model.id {
            let owner = network.labels?[PodmanNames.owner] ?? "deployment \(holder)"
            throw DeploymentError(
                .notPermitted, "the namespace \(model.namespace) belongs to another deployment: \(owner)",
                hint:
                    "add to this one's spec.yml a line such as `namespace: \(model.namespace)-2`, or stop that one with --delete-namespace"
            )
        }
        // One without a label was made by the user: it is used, and never removed.
        try Ownership.refuse("network \(network.name)", labels: network.labels, for: model, allowsUnlabelled: true)
    }

    func make(besides existing: [PodmanNetworkRecord], podman: Podman) async throws(CommandFailure) {
        for wanted in model.podmanNetworks where !existing.contains(where: { $0.name == wanted.name }) {
            let labels = Ownership.labels(model)
            guard let settings = wanted.settings else {
                try await podman.make(.network(name: wanted.name, labels: labels))
                continue
            }
            try await podman.change(
                PodmanArguments.createNetwork(wanted.name, labels: labels, options: settings.options))
        }
    }

    /// The host's address in the first network that leads to it.
    func gateway(_ networks: [PodmanNetworkRecord]) -> String? {
        let names = model.podmanNetworks.filter { $0.settings?.isInternal != true }.map(\.name)
        return names.lazy.compactMap { name in
            networks.first { $0.name == name }?.subnets?.first?.gateway
        }.first
    }
}

extension DeploymentModel {
    /// A network as podman calls it; without settings the one that all pods share.
    struct NamedNetwork: Hashable, Sendable {
        var name: String
        var settings: PodmanNetwork?
    }

    /// What its pods need of networks.
    var podmanNetworks: [NamedNetwork] {
        guard !rendered.networks.isEmpty else { return [NamedNetwork(name: namespace)] }
        return rendered.networks.map { NamedNetwork(name: PodmanNames.network(namespace, $0.name), settings: $0) }
    }
}

extension PodmanNetwork {
    /// For `podman network create`.
    fileprivate var options: [PodmanOption] {
        var options: [PodmanOption] = isInternal ? [.flag("--internal")] : []
        if !hasDNS { options.append(.flag("--disable-dns")) }
        if let subnet { options.append(.whole("--subnet", subnet)) }
        if let gateway { options.append(.whole("--gateway", gateway)) }
        if let range { options.append(.whole("--ip-range", range)) }
        return options
    }
}

extension PodmanNetworkRecord {
    /// Whether it is what is wanted; what podman chose itself is.
    fileprivate func matches(_ wanted: PodmanNetwork) -> Bool {
        (`internal` ?? false) == wanted.isInternal && (dns_enabled ?? true) == wanted.hasDNS
            && (wanted.subnet == nil || subnets?.contains { $0.subnet == wanted.subnet } == true)
    }
}
