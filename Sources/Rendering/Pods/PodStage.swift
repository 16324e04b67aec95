import Compose
import KubernetesObjects
import OrderedCollections
import Specs

/// Renders each group's workload, with what its pods mount.
struct PodStage: NetworkedStage, ReportingStage {
    let context: RenderContext
    let collection: CollectedWorkloads
    let grouping: Grouping
    let separatesNetworks: Bool
    /// The workload that fills each volume with what its image holds.
    let volumeFillers: [String: Int]
    var storage = StorageDraft()
    /// The host's ports that are spoken for on podman, as `80/tcp`.
    var takenHostPorts: Set<String> = []
    /// Who has each fixed address, as `network/address`.
    var takenAddresses: [String: String] = [:]
    /// Of pods that have no network.
    var networkPolicies: [NetworkPolicy] = []
    var reports = ReportCollector()

    init(
        context: RenderContext, collection: CollectedWorkloads, grouping: Grouping, separatesNetworks: Bool,
        volumeFillers: [String: Int]
    ) {
        self.context = context
        self.collection = collection
        self.grouping = grouping
        self.separatesNetworks = separatesNetworks
        self.volumeFillers = volumeFillers
    }

    mutating func run() -> RenderedPods {
        if can(.oneHost) { takenHostPorts = fixedHostPorts() }
        var result = RenderedPods()
        for index in groups.indices { result.objects.append(renderWorkload(index, to: &result.workloads)) }
        refuseCycles(result.workloads)
        result.storage = storage
        result.networkPolicies = networkPolicies
        return result
    }
}

/// The workloads, with what their pods ask for.
struct RenderedPods {
    var workloads: [Workload] = []
    /// One for each of ``workloads``.
    var objects: [KubernetesObject] = []
    var storage = StorageDraft()
    /// Of pods that have no network.
    var networkPolicies: [NetworkPolicy] = []
}

extension RenderedPods: CustomStringConvertible {
    var description: String {
        workloads.map { workload in
            let waits = workload.dependencies.map { "\($0.workload) \($0.condition.rawValue)" }
            return "\(workload.kind.rawValue) \(workload.name): \(workload.services.joined(separator: ", "))"
                + (waits.isEmpty ? "" : " after \(waits.joined(separator: ", "))")
        }.joined(separator: "\n")
    }
}
