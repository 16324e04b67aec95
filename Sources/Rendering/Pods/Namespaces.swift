import Compose
import KubernetesObjects
import OrderedCollections

extension Renderer {
    /// network_mode, pid, ipc, userns_mode, uts.
    mutating func addNamespaces(_ unit: ServiceWorkload, to pod: inout PodDraft) {
        addNetworkMode(unit, to: &pod)
        switch mode(unit.service.pid, key: "pid", unit) {
        case .host: set(\.hostPID, to: true, key: "pid", of: unit, in: &pod)
        case .service: pod.spec.shareProcessNamespace = true
        case .other(let value):
            report(unit, "pid", "\(value) has no equivalent: the container has a namespace of its own")
        case .none: break
        }
        switch mode(unit.service.ipc, key: "ipc", unit) {
        case .host: set(\.hostIPC, to: true, key: "ipc", of: unit, in: &pod)
        case .other("none"): report(unit, "ipc", "none has no equivalent: the pod has a namespace of its own")
        case .service, .other, .none: break
        }
        if unit.service.usernsMode == "host" {
            set(\.hostUsers, to: true, key: "userns_mode", of: unit, in: &pod)
        } else if let mode = unit.service.usernsMode, !mode.isEmpty {
            report(unit, "userns_mode", "\(mode) has no equivalent: the pod has the cluster's default")
        }
        if unit.service.uts == "host", unit.service.networkMode == "host" {
            decided[DecidedKey(unit: unit.index, key: "uts")] = .mapped("a pod on the node's network has its host name")
        }
        if let cgroup = unit.service.cgroup, cgroup == "private" {
            decided[DecidedKey(unit: unit.index, key: "cgroup")] = .mapped("what containers have anyway")
        }
    }

    private enum Mode {
        case host
        case service
        case other(String)
        case none
    }

    private mutating func mode(_ value: String?, key: String, _ unit: ServiceWorkload) -> Mode {
        guard let value, !value.isEmpty else { return .none }
        if value == "host" { return .host }
        if value.hasPrefix("service:") {
            let name = String(value.dropFirst("service:".count))
            guard let target = self.unit(name, for: unit) else { return .service }
            if target.fate == .initContainer || unit.fate == .initContainer {
                refuse(
                    unit, key, "an init container shares a pod with the services that need it only",
                    hint: "remove the key")
            }
            return .service
        }
        if value.hasPrefix("container:") {
            refuse(
                unit, key, "\(value) is not a service of this project",
                hint: "write `\(key): service:NAME` with a service of this project")
            return .none
        }
        return .other(value)
    }

    /// On the host's network podman resolves no names of services, and neither does docker.
    private mutating func reportUnknownNames(_ unit: ServiceWorkload) {
        guard options.can(.oneHost) else { return }
        for other in units where other.index != unit.index && other.job == nil {
            guard let (place, mark) = mention(of: other.service.name, in: unit) else { continue }
            report(
                unit, "network_mode", at: mark,
                "\(place) names \(other.service.name), which is not known on the host's network, as in docker compose",
                hint: "publish a port of \(other.service.name) and write 127.0.0.1 there")
        }
    }

    /// kind's node is a container: what listens in its network is reached from this host by published ports only.
    private mutating func reportNodesNetwork(_ unit: ServiceWorkload) {
        guard options.can(.mappedNode), unit.service.ports.isEmpty else { return }
        report(
            unit, "network_mode", "the host's network is that of kind's node: this host reaches none of its ports",
            hint: "write the ports that it listens on under `ports:`: each is published")
    }

    private mutating func addNetworkMode(_ unit: ServiceWorkload, to pod: inout PodDraft) {
        switch mode(unit.service.networkMode, key: "network_mode", unit) {
        case .host:
            set(\.hostNetwork, to: true, key: "network_mode", of: unit, in: &pod)
            pod.spec.dnsPolicy = "ClusterFirstWithHostNet"
            reportUnknownNames(unit)
            reportNodesNetwork(unit)
        case .other("none"):
            let group = groupOfUnit[unit.index].map { groups[$0].name } ?? unit.name
            networkPolicies.append(
                NetworkPolicy(
                    denyingAllOf: LabelSelector(matchLabels: selector(group)),
                    metadata: metadata(group, labels: labels(group, component: unit.component))))
        case .other("bridge"), .other("default"), .service, .none: break
        case .other(let name) where project(of: unit).networks[name] != nil: break
        case .other(let value):
            report(unit, "network_mode", "\(value) has no equivalent: the service is in the deployment's network")
        }
    }
}
