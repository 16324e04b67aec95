import Compose
import KubernetesObjects
import OrderedCollections
import YAML

/// Claims the name of every service's Service, and warns of names that change. It returns who has each name: a compose service or one of its aliases.
struct NameRegistrar: CollectedStage, ReportingStage {
    let context: RenderContext
    let collection: CollectedWorkloads
    private var serviceNames: [String: String] = [:]
    var reports = ReportCollector()

    init(context: RenderContext, collection: CollectedWorkloads) {
        self.context = context
        self.collection = collection
    }

    mutating func run() -> [String: String] {
        registerServiceNames()
        return serviceNames
    }
}

extension NameRegistrar {
    /// Claims the name of every service's Service, so that an alias never takes one.
    private mutating func registerServiceNames() {
        for workload in workloads where serviceNames[workload.name] == nil {
            serviceNames[workload.name] = workload.service.name
        }
        warnOfChangedNames()
    }

    /// What other services write to reach one: a name with `_` or capitals does not resolve in Kubernetes.
    private mutating func warnOfChangedNames() {
        guard !can(.anyNames) else { return }
        let changed = workloads.filter { $0.name != $0.service.name && $0.job == nil }
        guard !changed.isEmpty else { return }
        for workload in workloads {
            for target in changed where target.index != workload.index {
                guard let (name, mark) = mention(of: target.service.name, in: workload) else { continue }
                reports.warning(
                    "service \(workload.service.name): \(name) names \(target.service.name), which Kubernetes knows as \(target.name)",
                    at: mark, hint: "write \(target.name) there, or rename the service")
            }
        }
    }
}
