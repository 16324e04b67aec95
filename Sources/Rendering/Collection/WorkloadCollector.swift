import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// Decides what each service becomes.
struct WorkloadCollector: CollectedStage, ReportingStage {
    let context: RenderContext
    var collection = CollectedWorkloads()
    var reports = ReportCollector()

    init(context: RenderContext) { self.context = context }

    mutating func run() -> CollectedWorkloads {
        collectWorkloads()
        return collection
    }
}

extension WorkloadCollector {
    private mutating func collectWorkloads() {
        var components: [String: Component] = [:]
        for component in layered.components {
            for service in component.serviceNames { components[service] = component }
        }
        collect(layered.project, job: nil, components: components)
        for (name, project) in layered.jobs { collect(project, job: name, components: [:]) }
        collection.ownNames = Set(workloads.filter { $0.job == nil }.map(\.name))
        collection.environmentSecrets = Set(workloads.map(environmentSecret))
        for workload in workloads {
            for link in workload.service.links where link.alias != link.name {
                collection.linkAliases[LinkTarget(job: workload.job, service: link.name), default: []].append(
                    link.alias)
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
            let isTimed = can(.kubernetesObjects) && job == nil && isScheduled(service, isAwaited: isAwaited)
            let number = workloads.count
            collection.workloads.append(
                ServiceWorkload(
                    index: number, service: service, name: workloadName(service.name),
                    component: component?.name ?? job ?? layered.stackName, job: job, kind: kind,
                    isAwaited: isAwaited, schedule: isTimed ? KomposeSchedule(service)?.schedule : nil))
            index[service.name] = number
        }
        collection.workloadIndex[job] = index
    }

    /// On a cluster it is a Service's too, which begins with a letter.
    private func workloadName(_ service: String) -> String {
        let name = Names.label(service)
        guard !can(.anyNames), !name.isEmpty, !Names.isServiceName(name) else { return name }
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

    private mutating func refuseEqualNames() {
        var owners: [String: ServiceWorkload] = [:]
        for workload in workloads where workload.job == nil {
            if workload.name.isEmpty {
                reports.error(
                    "service \(workload.service.name) has no letter or digit that a DNS name could be made of",
                    at: workload.service.mark, hint: "rename it")
            } else if let other = owners[workload.name] {
                reports.error(
                    "services \(other.service.name) and \(workload.service.name) both become \(workload.name) in Kubernetes",
                    at: workload.service.mark, hint: "rename one of them")
            }
            owners[workload.name] = workload
        }
    }

    /// Whether a service of this life runs by the clock: not one that runs always, or whose end others wait for.
    private func isScheduled(_ service: ComposeService, isAwaited: Bool) -> Bool {
        guard KomposeSchedule(service) != nil, !isAwaited, !ServiceWorkload.isIdle(service) else { return false }
        let mode = service.deploy?.mode
        guard mode == nil || mode == .replicated || mode == .replicatedJob else { return false }
        return !service.saysRestart || restartRetries(service) != nil
    }
}
