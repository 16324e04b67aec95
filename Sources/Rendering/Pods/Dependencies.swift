import Compose
import OrderedCollections
import YAML

/// Finds what a group waits for: the groups of the services that its own services depend on.
struct DependencyStep: PodStep {
    let inputs: PodInputs
    /// The place of the group.
    let index: Int
    var reports = ReportCollector()

    mutating func run() -> [WorkloadDependency] {
        var result: [WorkloadDependency] = []
        let group = groups[index]
        for member in group.workloads + group.initWorkloads {
            let workload = workloads[member]
            for (name, dependency) in workload.service.dependsOn {
                guard let target = self.workload(name, for: workload) else { continue }
                guard target.kind != .initContainer, let other = groupOfWorkload[target.index] else { continue }
                if other == index {
                    reportSharedPod(workload, name, dependency)
                } else {
                    add(dependency, of: workload, on: target, workload: groups[other].name, to: &result)
                }
            }
        }
        if group.job != nil { addServices(besides: index, to: &result) }
        return result
    }

    /// A job of the stack runs after every service has started: it is there to act on them.
    private func addServices(besides index: Int, to list: inout [WorkloadDependency]) {
        let known = Set(list.map(\.workload))
        for (other, group) in groups.enumerated() where other != index && group.job == nil {
            guard !known.contains(group.name), let first = group.workloads.first else { continue }
            list.append(
                WorkloadDependency(workload: group.name, service: workloads[first].service.name, condition: .started))
        }
    }

    private mutating func reportSharedPod(_ workload: ServiceWorkload, _ name: String, _ dependency: ComposeDependency)
    {
        guard !dependency.isImplied else { return }
        report(
            workload, "depends_on", at: dependency.mark,
            "\(name) is in the same pod: both start together, and a failed start is tried again")
    }

    private mutating func add(
        _ dependency: ComposeDependency, of workload: ServiceWorkload, on target: ServiceWorkload,
        workload name: String,
        to list: inout [WorkloadDependency]
    ) {
        let condition = WorkloadDependency.Condition(rawValue: dependency.condition.rawValue) ?? .started
        if condition == .healthy, !hasProbe(target) {
            report(
                workload, "depends_on", at: dependency.mark,
                "\(target.service.name) has no healthcheck with a test: only its start is waited for",
                hint: "add `healthcheck:` to \(target.service.name), or depend on service_started")
        }
        if condition == .completedSuccessfully, target.isIdle {
            report(
                workload, "depends_on", at: dependency.mark,
                "\(target.service.name) has no replicas: nothing is waited for"
            )
        } else if condition == .completedSuccessfully, !target.isJob {
            report(
                workload, "depends_on", at: dependency.mark,
                "\(target.service.name) shares a pod that runs forever: only its start is waited for")
        }
        list.append(
            WorkloadDependency(
                workload: name, service: target.service.name, condition: condition,
                isRequired: dependency.isRequired, restart: dependency.restart))
    }

    private func hasProbe(_ workload: ServiceWorkload) -> Bool {
        guard let check = workload.service.healthcheck, let test = check.test else { return false }
        return test != .none
    }
}
