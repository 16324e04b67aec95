import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// One compose service on its way to a container.
///
/// A class, since a service has a hundred fields and a workload is passed about everywhere; nothing in it changes.
final class ServiceWorkload {
    let index: Int
    let service: ComposeService
    /// The service's name made a DNS label: of its container, its Service and its Secret.
    let name: String
    /// The stack's pod or job that it comes from.
    let component: String
    /// The stack job that it comes from, if it does.
    let job: String?
    let kind: WorkloadKind
    /// Whether other services wait for its end.
    let isAwaited: Bool
    /// When the cluster makes a Job of it.
    let schedule: CronSchedule?

    init(
        index: Int, service: ComposeService, name: String, component: String, job: String?, kind: WorkloadKind,
        isAwaited: Bool, schedule: CronSchedule?
    ) {
        self.index = index
        self.service = service
        self.name = name
        self.component = component
        self.job = job
        self.kind = kind
        self.isAwaited = isAwaited
        self.schedule = schedule
    }

    /// What runs it.
    enum WorkloadKind: Hashable {
        case deployment
        case daemonSet
        case job(backoffLimit: Int)
        case initContainer
    }

    var isJob: Bool { if case .job = kind { true } else { false } }

    /// Whether the files ask for no container at all.
    var isIdle: Bool { job == nil && Self.isIdle(service) }

    static func isIdle(_ service: ComposeService) -> Bool { (service.deploy?.replicas ?? service.scale) == 0 }

    /// Where the file says what becomes of the service when it ends.
    var restartMark: Mark {
        let keys = ["deploy.mode", "deploy.restart_policy.condition", "restart"]
        return keys.lazy.compactMap { self.service.keys[$0] }.first ?? service.mark
    }

    /// The entry of a stack that asks for an init container, from stack-orchestrator.
    static let initLabel = "laconic.init-container"
}
