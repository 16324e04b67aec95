package import KubernetesObjects
package import YAML

/// Everything that a deployment consists of, in the order in which it is applied.
package struct RenderedDeployment: Sendable {
    /// Namespace, RuntimeClasses, ConfigMaps, volumes, claims, Services, workloads, Jobs, Ingresses; no Secret.
    package var objects: [KubernetesObject] = []
    /// The Secrets, without their values.
    package var secrets: [SecretTemplate] = []
    /// The workloads among the objects, in the order of the compose files, stack jobs last.
    package var workloads: [Workload] = []
    /// The networks of its pods on podman, where they are kept apart; empty: all share one.
    package var networks: [PodmanNetwork] = []
    /// The ports of a host that services ask for and a cluster gives other numbers, by ``RenderOptions/publishedPortKey(service:port:transport:ordinal:replica:)``
    /// of the workload.
    package var wantedPorts: [String: Int] = [:]
    /// The paths of the host that volumes of compose files stand for (`driver_opts` with `o: bind`), by the names of their claims.
    package var boundVolumes: [String: String] = [:]
    /// What became of every key that the files set, if ``RenderOptions/listsDispositions`` asks for it.
    package var dispositions: [KeyDisposition] = []

    package init() {}

    /// The pods that a workload makes.
    package func podTemplate(of workload: Workload) -> PodTemplateSpec? {
        for object in objects {
            switch object {
            case .deployment(let value) where value.metadata.name == workload.name: return value.spec.template
            case .daemonSet(let value) where value.metadata.name == workload.name: return value.spec.template
            case .job(let value) where value.metadata.name == workload.name: return value.spec.template
            case .cronJob(let value) where value.metadata.name == workload.name:
                return value.spec.jobTemplate.spec.template
            default: continue
            }
        }
        return nil
    }
}

/// What became of one key of one service or of the top level.
package struct KeyDisposition: Hashable, Sendable {
    /// The service, or nil for the top level.
    package var service: String?
    /// The key, dotted for nested ones.
    package var key: String
    package var mark: Mark
    package var outcome: KeyMapping.Outcome
}
