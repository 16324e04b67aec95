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

    /// The entry of a stack that asks for an init container, from the predecessor.
    static let initLabel = "laconic.init-container"
}

/// What runs in one pod.
struct Group {
    var name: String
    var component: String
    var job: String?
    /// The workloads that are containers, in the order of the files, but the owner of a shared namespace first: the first decides
    /// name, kind and restart policy of the workload.
    var workloads: [Int]
    /// The workloads that are init containers, in the order in which they run.
    var initWorkloads: [Int] = []
}

extension Renderer {
    func project(of workload: ServiceWorkload) -> Project {
        workload.job.flatMap { layered.jobs[$0] } ?? layered.project
    }

    /// The workload of a service, as another workload names it: its own project's first, then the pods'.
    func workload(_ service: String, for workload: ServiceWorkload) -> ServiceWorkload? {
        let index = workloadIndex[workload.job]?[service] ?? workloadIndex[nil]?[service]
        return index.map { workloads[$0] }
    }

    mutating func collectWorkloads() {
        var components: [String: Component] = [:]
        for component in layered.components {
            for service in component.serviceNames { components[service] = component }
        }
        collect(layered.project, job: nil, components: components)
        for (name, project) in layered.jobs { collect(project, job: name, components: [:]) }
        ownNames = Set(workloads.filter { $0.job == nil }.map(\.name))
        environmentSecrets = Set(workloads.map(environmentSecret))
        for workload in workloads {
            for link in workload.service.links where link.alias != link.name {
                linkAliases[LinkTarget(job: workload.job, service: link.name), default: []].append(link.alias)
            }
        }
        refuseEqualNames()
    }

    private mutating func collect(_ project: Project, job: String?, components: [String: Component]) {
        let awaited = awaitedServices(project)
        var index: [String: Int] = [:]
        index.reserveCapacity(project.services.count)
        for service in project.services.values {
            let component = components[service.name]
            let kind = kind(
                service, isStackJob: job != nil, isAwaited: awaited[service.name] != nil,
                isInit: isInitContainer(service, component: component, waiting: awaited[service.name] ?? []))
            let isAwaited = awaited[service.name] != nil
            let isTimed = options.can(.kubernetesObjects) && job == nil && isScheduled(service, isAwaited: isAwaited)
            let number = workloads.count
            workloads.append(
                ServiceWorkload(
                    index: number, service: service, name: workloadName(service.name),
                    component: component?.name ?? job ?? layered.stackName, job: job, kind: kind,
                    isAwaited: isAwaited, schedule: isTimed ? KomposeSchedule(service)?.schedule : nil))
            index[service.name] = number
        }
        workloadIndex[job] = index
    }

    /// On a cluster it is a Service's too, which begins with a letter.
    private func workloadName(_ service: String) -> String {
        let name = Names.label(service)
        guard !options.can(.anyNames), !name.isEmpty, !Names.isServiceName(name) else { return name }
        return Names.label("svc-\(name)")
    }

    /// By service: those that wait for it to complete.
    private func awaitedServices(_ project: Project) -> [String: [String]] {
        var result: [String: [String]] = [:]
        for service in project.services.values {
            for (name, dependency) in service.dependsOn where dependency.condition == .completedSuccessfully {
                result[name, default: []].append(service.name)
            }
        }
        return result
    }

    /// The label says so, or the service ends before others of its own shared pod begin.
    private func isInitContainer(_ service: ComposeService, component: Component?, waiting: [String]) -> Bool {
        if service.labels[ServiceWorkload.initLabel] == "true" { return true }
        guard let component, component.colocate, !waiting.isEmpty else { return false }
        let members = Set(component.serviceNames)
        return waiting.allSatisfy(members.contains)
    }

    private func kind(_ service: ComposeService, isStackJob: Bool, isAwaited: Bool, isInit: Bool)
        -> ServiceWorkload.WorkloadKind
    {
        if isInit { return .initContainer }
        let retries = restartRetries(service)
        if isStackJob { return .job(backoffLimit: retries ?? 0) }
        // A Deployment of no pods runs nothing; a Job of none would never be complete.
        if ServiceWorkload.isIdle(service) { return .deployment }
        if isScheduled(service, isAwaited: isAwaited) {
            return .job(backoffLimit: KomposeSchedule(service)?.backoffLimit ?? retries ?? 0)
        }
        switch service.deploy?.mode {
        case .replicatedJob, .globalJob: return .job(backoffLimit: retries ?? 0)
        case .global where retries == nil && !isAwaited: return .daemonSet
        case .global, .replicated, nil: break
        }
        if service.labels["kompose.controller.type"]?.lowercased() == "daemonset", retries == nil, !isAwaited {
            return .daemonSet
        }
        if let retries { return .job(backoffLimit: retries) }
        return isAwaited ? .job(backoffLimit: 0) : .deployment
    }

    /// How often a service that ends is started again; nil where it is started for ever or nothing was written.
    ///
    /// Rule: `deploy.restart_policy` goes before `restart`, as docker compose has it. `on-failure` without a limit, or with 0,
    /// tries for ever, which is the largest limit of a Job.
    func restartRetries(_ service: ComposeService) -> Int? {
        if let policy = service.deploy?.restartPolicy, let condition = policy.condition {
            switch condition {
            case "none": return 0
            case "on-failure": return limited(policy.maxAttempts)
            default: return nil
            }
        }
        switch service.restart {
        case .no: return 0
        case .onFailure(let limit): return limited(limit)
        case .always, .unlessStopped, nil: return nil
        }
    }

    private func limited(_ attempts: Int?) -> Int {
        guard let attempts, attempts > 0 else { return Int(Int32.max) }
        return min(attempts, Int(Int32.max))
    }

    private mutating func refuseEqualNames() {
        var owners: [String: ServiceWorkload] = [:]
        for workload in workloads where workload.job == nil {
            if workload.name.isEmpty {
                diagnostics.error(
                    "service \(workload.service.name) has no letter or digit that a DNS name could be made of",
                    at: workload.service.mark, hint: "rename it")
            } else if let other = owners[workload.name] {
                diagnostics.error(
                    "services \(other.service.name) and \(workload.service.name) both become \(workload.name) in Kubernetes",
                    at: workload.service.mark, hint: "rename one of them")
            }
            owners[workload.name] = workload
        }
    }
}
