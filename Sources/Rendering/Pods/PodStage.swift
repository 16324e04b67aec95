import Compose
import KubernetesObjects
import OrderedCollections
import Specs

/// Renders each group's workload, with what its pods mount.
struct PodStage: PodStep {
    let inputs: PodInputs
    var reports = ReportCollector()

    mutating func run() -> RenderedPods {
        var shared = SharedDraft()
        if can(.oneHost) { shared.hostPorts = fixedHostPorts() }
        var result = RenderedPods()
        for index in groups.indices {
            let rendered = WorkloadStep(inputs: inputs, index: index).run(storing: &shared, reporting: &reports)
            result.workloads.append(rendered.workload)
            result.objects.append(rendered.object)
        }
        DependencyCycleStep(inputs: inputs, rendered: result.workloads).run(reporting: &reports)
        (result.storage, result.networkPolicies) = (shared.storage, shared.networkPolicies)
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
