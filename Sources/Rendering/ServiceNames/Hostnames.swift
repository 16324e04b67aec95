import Compose
import OrderedCollections

extension CollectedStage {
    /// Every name under which others reach a service, its own first, as the files write them.
    func hostnames(_ workload: ServiceWorkload) -> [String] {
        var result = [workload.service.name]
        func add(_ name: String) { if !name.isEmpty, !result.contains(name) { result.append(name) } }
        if workload.name != workload.service.name { add(workload.name) }
        if let name = workload.service.containerName { add(name) }
        for network in workload.service.networks.values { network.aliases.forEach(add) }
        if let name = workload.service.hostname { add(name) }
        collection.linkAliases[LinkTarget(job: workload.job, service: workload.service.name)]?.forEach(add)
        return result
    }
}
