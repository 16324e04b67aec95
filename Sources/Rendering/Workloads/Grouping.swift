import Compose
import OrderedCollections
import Specs
import YAML

extension Renderer {
    /// Decides which units share a pod: those of a colocated component, and those that share a network, process or IPC
    /// namespace by `service:`. A unit that runs to its end has a pod of its own, unless it is an init container.
    mutating func formGroups() {
        var roots = Array(units.indices)
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
        for unit in units where unit.job == nil && colocated.contains(unit.component) && unit.fate == .deployment {
            if let first = firstOf[unit.component] {
                join(first, unit.index)
            } else {
                firstOf[unit.component] = unit.index
            }
        }
        for unit in units where unit.fate != .initContainer {
            for target in sharedNamespaceTargets(unit) where target.fate != .initContainer {
                join(unit.index, target.index)
            }
        }
        groupOfUnit = Array(repeating: nil, count: units.count)
        for unit in units where unit.fate != .initContainer {
            let first = root(unit.index)
            if let group = groupOfUnit[first] {
                groups[group].units.append(unit.index)
                groupOfUnit[unit.index] = group
            } else {
                groupOfUnit[unit.index] = groups.count
                groups.append(
                    Group(name: "", component: unit.component, job: unit.job, units: [unit.index]))
            }
        }
        for index in groups.indices { putOwnerFirst(index) }
        nameGroups(colocated)
        hostInitContainers(colocated)
    }

    /// Who made the namespace that others join decides what the pod is: without it they cannot run.
    private mutating func putOwnerFirst(_ index: Int) {
        guard groups[index].units.count > 1 else { return }
        var owner = groups[index].units.first { !sharedNamespaceTargets(units[$0]).isEmpty } ?? groups[index].units[0]
        var visited: Set<Int> = []
        while visited.insert(owner).inserted, let next = sharedNamespaceTargets(units[owner]).first,
            groups[index].units.contains(next.index)
        {
            owner = next.index
        }
        groups[index].units = [owner] + groups[index].units.filter { $0 != owner }
        for member in groups[index].units.dropFirst() { refuseOtherKind(units[member], than: units[owner]) }
    }

    /// A pod has one restart policy.
    private mutating func refuseOtherKind(_ unit: ServiceWorkload, than owner: ServiceWorkload) {
        guard unit.fate != owner.fate || unit.schedule != owner.schedule else { return }
        let key = ["network_mode", "pid", "ipc"].first { unit.service.keys[$0] != nil } ?? "restart"
        refuse(
            unit, key, at: unit.fateMark,
            "the service \(Self.life(unit)), but shares the pod of \(owner.service.name), which \(Self.life(owner))"
                + " (\(owner.fateMark))",
            hint: "give both the same `restart:`, or remove `\(key)`")
    }

    private static func life(_ unit: ServiceWorkload) -> String {
        if let schedule = unit.schedule { return "runs on a schedule (\(schedule.text))" }
        return switch unit.fate {
        case .deployment: "always runs"
        case .daemonSet: "always runs, on every node"
        case .job(backoffLimit: 0): unit.isAwaited ? "ends before others begin" : "runs once"
        case .job(let limit): limit < Int(Int32.max) ? "is tried \(limit + 1) times" : "runs until it succeeds"
        case .initContainer: "runs before the others"
        }
    }

    /// The units whose pod a unit joins by `service:X`.
    private func sharedNamespaceTargets(_ unit: ServiceWorkload) -> [ServiceWorkload] {
        [unit.service.networkMode, unit.service.pid, unit.service.ipc].compactMap { value in
            guard let value, value.hasPrefix("service:") else { return nil }
            return self.unit(String(value.dropFirst("service:".count)), for: unit)
        }
    }

    private mutating func nameGroups(_ colocated: Set<String>) {
        var owners: [String: Int] = [:]
        for index in groups.indices {
            let group = groups[index]
            groups[index].name = groupName(group, isColocated: group.job == nil && colocated.contains(group.component))
            if let other = owners.updateValue(index, forKey: groups[index].name) {
                let (one, two) = (units[groups[other].units[0]], units[group.units[0]])
                guard one.name != two.name || one.job != two.job else { continue }
                diagnostics.error(
                    "\(describe(one)) and \(describe(two)) both become the workload \(groups[index].name)",
                    at: two.service.mark, hint: "rename one of them")
            }
        }
    }

    private func describe(_ unit: ServiceWorkload) -> String {
        unit.job.map { "job \($0)" } ?? "service \(unit.service.name)"
    }

    /// A service's own name, its component's where that shares a pod, for a job's see ``jobName(_:)``.
    private func groupName(_ group: Group, isColocated: Bool) -> String {
        let unit = units[group.units[0]]
        if group.job != nil { return jobName(unit) }
        return isColocated && unit.fate == .deployment ? Names.label(group.component) : unit.name
    }

    /// The job's name where it has one service, else job and service; `-job` behind it where a service has the name.
    func jobName(_ unit: ServiceWorkload) -> String {
        let job = unit.job ?? unit.component
        let isOnly = (layered.jobs[job]?.services.count ?? 0) == 1
        let name = isOnly ? job : "\(job)-\(unit.service.name)"
        return Names.label(ownNames.contains(Names.label(name)) ? "\(name)-job" : name)
    }

    /// Puts each init container into the pods that need it: the one of its colocated component; else those of the services
    /// that depend on it; else those of every service of its compose file.
    private mutating func hostInitContainers(_ colocated: Set<String>) {
        let waiting = initContainerOrder()
        guard !waiting.isEmpty else { return }
        let dependents = dependentsOfInitContainers()
        for unit in waiting {
            var hosts = colocated.contains(unit.component) && unit.job == nil ? [] : dependents[unit.index] ?? []
            if hosts.isEmpty {
                hosts = groups.indices.filter { groups[$0].component == unit.component && groups[$0].job == unit.job }
                let running = hosts.filter { !units[groups[$0].units[0]].isJob }
                if !running.isEmpty { hosts = running }
            }
            guard let first = hosts.first else {
                refuse(
                    unit, "labels", "it is an init container, but \(unit.component) has no other service",
                    hint: "remove the label \(ServiceWorkload.initLabel), or make it a job of the stack")
                continue
            }
            groupOfUnit[unit.index] = first
            for host in hosts { groups[host].initUnits.append(unit.index) }
        }
    }

    /// Init containers, each after those that it depends on.
    private func initContainerOrder() -> [ServiceWorkload] {
        var result: [ServiceWorkload] = []
        var visited: Set<Int> = []
        func visit(_ unit: ServiceWorkload) {
            guard unit.fate == .initContainer, visited.insert(unit.index).inserted else { return }
            for name in unit.service.dependsOn.keys { if let other = self.unit(name, for: unit) { visit(other) } }
            result.append(unit)
        }
        for unit in units { visit(unit) }
        return result
    }

    /// By init container: the groups of the services that depend on it, over other init containers too.
    private func dependentsOfInitContainers() -> [Int: [Int]] {
        var result: [Int: [Int]] = [:]
        for unit in units {
            guard unit.fate != .initContainer, let group = groupOfUnit[unit.index] else { continue }
            var pending = Array(unit.service.dependsOn.keys)
            var seen: Set<Int> = []
            while let name = pending.popLast() {
                guard let other = self.unit(name, for: unit), other.fate == .initContainer,
                    seen.insert(other.index).inserted
                else { continue }
                if result[other.index]?.contains(group) != true { result[other.index, default: []].append(group) }
                pending += other.service.dependsOn.keys
            }
        }
        return result
    }
}
