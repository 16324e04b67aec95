import Compose
import KubernetesObjects
import Specs

/// Decides how many pods a group has, and how they are replaced.
struct ScalingStep: PodStep {
    let inputs: PodInputs
    let group: Group
    let kind: Workload.Kind
    let pod: PodDraft
    var reports = ReportCollector()

    mutating func run() -> Scaling {
        let first = workloads[group.workloads[0]]
        var result = Scaling()
        switch kind {
        case .job, .cronJob: reportUpdates(strategy: nil)
        case .daemonSet:
            result.strategy = strategy(ofDaemonSet: first)
            let isInPlace = result.strategy?.rollingUpdate?.maxSurge == 0
            reportUpdates(strategy: isInPlace ? .recreate : nil)
        case .deployment:
            result.replicas = replicas()
            result.strategy = strategy(replicas: result.replicas)
            result.progressDeadlineSeconds = progressDeadlineSeconds(first)
            reportUpdates(strategy: result.strategy)
        }
        result.minReadySeconds = minReadySeconds(first)
        return result
    }

    /// The spec's replicas go before the files'; services in one pod must agree.
    private mutating func replicas() -> Int {
        var result: Int?
        var decider: ServiceWorkload?
        for index in group.workloads {
            let workload = workloads[index]
            guard let count = spec.replicas[workload.service.name] ?? replicas(of: workload) else { continue }
            if let decider, let result, result != count {
                refuse(
                    workload, workload.service.keys["scale"] == nil ? "deploy.replicas" : "scale",
                    "\(count) differs from the \(result) of \(decider.service.name), which shares its pod",
                    hint: "give both the same number")
            }
            result = count
            decider = workload
        }
        // Replicas of the spec are for services: what would run once is not made to run for ever.
        if let decider, decider.isIdle, restartRetries(decider.service) != nil { return 0 }
        return within(result ?? 1)
    }

    /// How many replicas of a service one host runs at most: its network has addresses for less than that.
    private static let mostOnPodman = 1_000

    private mutating func within(_ count: Int) -> Int {
        guard can(.oneHost), count > Self.mostOnPodman, let index = group.workloads.first else { return count }
        refuse(
            workloads[index], workloads[index].service.keys["scale"] == nil ? "deploy.replicas" : "scale",
            "\(count) replicas are more than the \(Self.mostOnPodman) that podman runs of a service on one host",
            hint: "write a smaller number, or deploy to a cluster")
        return 1
    }

    /// What the files say; no more than the API can count.
    private mutating func replicas(of workload: ServiceWorkload) -> Int? {
        guard let count = workload.service.deploy?.replicas ?? workload.service.scale else { return nil }
        guard count > Int(Int32.max) else { return count }
        refuse(
            workload, workload.service.keys["scale"] == nil ? "deploy.replicas" : "scale",
            "\(count) is more than can be counted",
            hint: "write a smaller number")
        return nil
    }

    private func minReadySeconds(_ workload: ServiceWorkload) -> Int? {
        workload.service.deploy?.updateConfig?.delay.map(Quantities.seconds)
    }

    /// The API wants more time for progress than a pod has to stay ready; its own default is ten minutes.
    private func progressDeadlineSeconds(_ workload: ServiceWorkload) -> Int? {
        guard let ready = minReadySeconds(workload), ready >= Self.progressDeadline else { return nil }
        return min(ready + Self.progressDeadline, Quantities.largest)
    }

    private static let progressDeadline = 600

    /// Keys of an update that have no effect on this workload.
    private mutating func reportUpdates(strategy: DeploymentStrategy?) {
        for index in group.workloads {
            let workload = workloads[index]
            guard let config = workload.service.deploy?.updateConfig else { continue }
            if can(.oneHost) {
                report(workload, "deploy.update_config", "a changed pod is replaced at once: the old one ends first")
                continue
            }
            if index != group.workloads[0] {
                report(
                    workload, "deploy.update_config",
                    "the pod is updated as \(workloads[group.workloads[0]].service.name) says, which shares it")
            } else if kind == .job || kind == .cronJob {
                report(workload, "deploy.update_config", "a job is not updated: a changed one runs again")
            } else if config.order == "start-first", strategy == .recreate {
                report(
                    workload, "deploy.update_config.order",
                    "the old pod ends first: both cannot have the volume, the node's network or its port at a time")
            }
        }
    }

    /// Of a DaemonSet, whose own default is one node after the other.
    private func strategy(ofDaemonSet workload: ServiceWorkload) -> DeploymentStrategy? {
        guard let config = workload.service.deploy?.updateConfig, config.parallelism != nil || config.order != nil
        else {
            return nil
        }
        let step: IntOrString = config.parallelism == 0 ? "100%" : .int(config.parallelism ?? 1)
        let isStartFirst =
            config.order == "start-first" && pod.spec.hostNetwork != true && !pod.hasHostPorts
            && !pod.mountsExclusiveVolume
        return DeploymentStrategy(
            type: "RollingUpdate",
            rollingUpdate: isStartFirst
                ? RollingUpdate(maxUnavailable: 0, maxSurge: step) : RollingUpdate(maxUnavailable: step, maxSurge: 0))
    }

    /// Recreate where two pods cannot live beside each other: a volume for one node at a time, a port of the node.
    private func strategy(replicas: Int) -> DeploymentStrategy {
        if pod.mountsExclusiveVolume || pod.spec.hostNetwork == true || pod.hasHostPorts { return .recreate }
        guard let config = workloads[group.workloads[0]].service.deploy?.updateConfig else {
            return DeploymentStrategy(
                type: "RollingUpdate", rollingUpdate: RollingUpdate(maxUnavailable: 0, maxSurge: 1))
        }
        let written = config.parallelism ?? 1
        let step = written == 0 ? max(1, replicas) : written
        // Swarm's default order is stop-first; with one replica that is an outage nobody asked for unless it was written.
        let isStopFirst =
            config.order == "stop-first" || (config.order == nil && config.parallelism != nil && replicas > 1)
        return DeploymentStrategy(
            type: "RollingUpdate",
            rollingUpdate: isStopFirst
                ? RollingUpdate(maxUnavailable: .int(step), maxSurge: 0)
                : RollingUpdate(maxUnavailable: 0, maxSurge: .int(step)))
    }
}

/// How many pods a workload has, and how they are replaced.
struct Scaling: Hashable {
    var replicas = 1
    var strategy: DeploymentStrategy?
    var minReadySeconds: Int?
    var progressDeadlineSeconds: Int?
}
