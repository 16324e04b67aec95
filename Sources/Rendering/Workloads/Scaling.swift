import Compose
import KubernetesObjects
import Stacks

extension Renderer {
    /// The spec's replicas go before the files'; services in one pod must agree.
    mutating func replicas(_ group: Group) -> Int {
        var result: Int?
        var decider: Unit?
        for index in group.units {
            let unit = units[index]
            guard let count = unit.service.deploy?.replicas ?? unit.service.scale else { continue }
            if let decider, let result, result != count {
                refuse(
                    unit, unit.service.keys["scale"] == nil ? "deploy.replicas" : "scale",
                    "\(count) differs from the \(result) of \(decider.service.name), which shares its pod",
                    hint: "give both the same number")
            }
            result = count
            decider = unit
        }
        return spec.replicas ?? result ?? 1
    }

    func minReadySeconds(_ unit: Unit) -> Int? {
        unit.service.deploy?.updateConfig?.delay.map(Quantities.seconds)
    }

    /// Recreate where two pods cannot live beside each other: a volume for one node at a time, a port of the node.
    func strategy(_ group: Group, pod: PodDraft, replicas: Int) -> DeploymentStrategy {
        if pod.mountsExclusiveVolume || pod.spec.hostNetwork == true || pod.hasHostPorts { return .recreate }
        guard let config = units[group.units[0]].service.deploy?.updateConfig else {
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
