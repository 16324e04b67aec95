import Compose
import OrderedCollections
import Specs
import YAML

/// Decides which workloads share a pod.
struct Grouper: GroupedStage, ReportingStage {
    let context: RenderContext
    let collection: CollectedWorkloads
    var grouping = Grouping()
    var reports = ReportCollector()

    mutating func run() -> Grouping {
        formGroups()
        return grouping
    }
}

extension Grouper {
    /// Decides which workloads share a pod: those of a colocated component, and those that share a network, process or IPC
    /// namespace by `service:`. A workload that runs to its end has a pod of its own, unless it is an init container.
    private mutating func formGroups() {
        var roots = Array(workloads.indices)
        func root(_ index: Int) -> Int {
            var index = index
            while roots[index] != index { index = roots[index] }
            return index
        }
        func join(_ one: Int, _ other: Int) {
            let (left, right) = (root(one), root(other))
            if left != right { roots[max(left, right)] = min(left, right) }
        }
        let colocated = Set(layered.components.filter(\.colocate).map(\.name))
        var firstOf: [String: Int] = [:]
        for workload in workloads
        where workload.job == nil && colocated.contains(workload.component) && workload.kind == .deployment {
            if let first = firstOf[workload.component] {
                join(first, workload.index)
            } else {
                firstOf[workload.component] = workload.index
            }
        }
        for workload in workloads where workload.kind != .initContainer {
            for target in sharedNamespaceTargets(workload) where target.kind != .initContainer {
                join(workload.index, target.index)
            }
        }
        grouping.groupOfWorkload = Array(repeating: nil, count: workloads.count)
        for workload in workloads where workload.kind != .initContainer {
            let first = root(workload.index)
            if let group = grouping.groupOfWorkload[first] {
                grouping.groups[group].workloads.append(workload.index)
                grouping.groupOfWorkload[workload.index] = group
            } else {
                grouping.groupOfWorkload[workload.index] = grouping.groups.count
                grouping.groups.append(
                    Group(name: "", component: workload.component, job: workload.job, workloads: [workload.index]))
            }
        }
        for index in grouping.groups.indices { putOwnerFirst(index) }
        nameGroups(colocated)
        hostInitContainers(colocated)
    }

    /// Who made the namespace that others join decides what the pod is: without it they cannot run.
    private mutating func putOwnerFirst(_ index: Int) {
        guard grouping.groups[index].workloads.count > 1 else { return }
        var owner =
            grouping.groups[index].workloads.first { !sharedNamespaceTargets(workloads[$0]).isEmpty }
            ?? grouping.groups[index].workloads[0]
        var visited: Set<Int> = []
        while visited.insert(owner).inserted, let next = sharedNamespaceTargets(workloads[owner]).first,
            grouping.groups[index].workloads.contains(next.index)
        {
            owner = next.index
        }
        grouping.groups[index].workloads = [owner] + grouping.groups[index].workloads.filter { $0 != owner }
        for member in grouping.groups[index].workloads.dropFirst() {
            refuseOtherKind(workloads[member], than: workloads[owner])
        }
    }

    /// A pod has one restart policy.
    private mutating func refuseOtherKind(_ workload: ServiceWorkload, than owner: ServiceWorkload) {
        guard workload.kind != owner.kind || workload.schedule != owner.schedule else { return }
        let key = ["network_mode", "pid", "ipc"].first { workload.service.keys[$0] != nil } ?? "restart"
        refuse(
            workload, key, at: workload.restartMark,
            "the service \(Self.life(workload)), but shares the pod of \(owner.service.name), which \(Self.life(owner))"
                + " (\(owner.restartMark))",
            hint: "give both the same `restart:`, or remove `\(key)`")
    }

    private static func life(_ workload: ServiceWorkload) -> String {
        if let schedule = workload.schedule { return "runs on a schedule (\(schedule.text))" }
        return switch workload.kind {
        case .deployment: "always runs"
        case .daemonSet: "always runs, on every node"
        case .job(backoffLimit: 0): workload.isAwaited ? "ends before others begin" : "runs once"
        case .job(let limit): limit < Int(Int32.max) ? "is tried \(limit + 1) times" : "runs until it succeeds"
        case .initContainer: "runs before the others"
        }
    }

    /// The workloads whose pod a workload joins by `service:X`.
    private func sharedNamespaceTargets(_ workload: ServiceWorkload) -> [ServiceWorkload] {
        [workload.service.networkMode, workload.service.pid, workload.service.ipc].compactMap { value in
            guard let value, value.hasPrefix("service:") else { return nil }
            return self.workload(String(value.dropFirst("service:".count)), for: workload)
        }
    }

    private mutating func nameGroups(_ colocated: Set<String>) {
        var owners: [String: Int] = [:]
        for index in grouping.groups.indices {
            let group = grouping.groups[index]
            grouping.groups[index].name = groupName(
                group, isColocated: group.job == nil && colocated.contains(group.component))
            if let other = owners.updateValue(index, forKey: grouping.groups[index].name) {
                let (one, two) = (workloads[grouping.groups[other].workloads[0]], workloads[group.workloads[0]])
                guard one.name != two.name || one.job != two.job else { continue }
                reports.error(
                    "\(describe(one)) and \(describe(two)) both become the workload \(grouping.groups[index].name)",
                    at: two.service.mark, hint: "rename one of them")
            }
        }
    }

    private func describe(_ workload: ServiceWorkload) -> String {
        workload.job.map { "job \($0)" } ?? "service \(workload.service.name)"
    }

    /// A service's own name, its component's where that shares a pod, for a job's see ``jobName(_:)``.
    private func groupName(_ group: Group, isColocated: Bool) -> String {
        let workload = workloads[group.workloads[0]]
        if group.job != nil { return jobName(workload) }
        return isColocated && workload.kind == .deployment ? Names.label(group.component) : workload.name
    }

    /// Puts each init container into the pods that need it: the one of its colocated component; else those of the services
    /// that depend on it; else those of every service of its compose file.
    private mutating func hostInitContainers(_ colocated: Set<String>) {
        let waiting = initContainerOrder()
        guard !waiting.isEmpty else { return }
        let dependents = dependentsOfInitContainers()
        for workload in waiting {
            var hosts =
                colocated.contains(workload.component) && workload.job == nil ? [] : dependents[workload.index] ?? []
            if hosts.isEmpty {
                hosts = grouping.groups.indices.filter {
                    grouping.groups[$0].component == workload.component && grouping.groups[$0].job == workload.job
                }
                let running = hosts.filter { !workloads[grouping.groups[$0].workloads[0]].isJob }
                if !running.isEmpty { hosts = running }
            }
            guard let first = hosts.first else {
                refuse(
                    workload, "labels", "it is an init container, but \(workload.component) has no other service",
                    hint: "remove the label \(ServiceWorkload.initLabel), or make it a job of the stack")
                continue
            }
            grouping.groupOfWorkload[workload.index] = first
            for host in hosts { grouping.groups[host].initWorkloads.append(workload.index) }
        }
    }

    /// Init containers, each after those that it depends on.
    private func initContainerOrder() -> [ServiceWorkload] {
        var result: [ServiceWorkload] = []
        var visited: Set<Int> = []
        func visit(_ workload: ServiceWorkload) {
            guard workload.kind == .initContainer, visited.insert(workload.index).inserted else { return }
            for name in workload.service.dependsOn.keys {
                if let other = self.workload(name, for: workload) { visit(other) }
            }
            result.append(workload)
        }
        for workload in workloads { visit(workload) }
        return result
    }

    /// By init container: the grouping.groups of the services that depend on it, over other init containers too.
    private func dependentsOfInitContainers() -> [Int: [Int]] {
        var result: [Int: [Int]] = [:]
        for workload in workloads {
            guard workload.kind != .initContainer, let group = grouping.groupOfWorkload[workload.index] else {
                continue
            }
            var pending = Array(workload.service.dependsOn.keys)
            var seen: Set<Int> = []
            while let name = pending.popLast() {
                guard let other = self.workload(name, for: workload), other.kind == .initContainer,
                    seen.insert(other.index).inserted
                else { continue }
                if result[other.index]?.contains(group) != true { result[other.index, default: []].append(group) }
                pending += other.service.dependsOn.keys
            }
        }
        return result
    }
}
