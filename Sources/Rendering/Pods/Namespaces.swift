import Compose
import KubernetesObjects
import OrderedCollections

/// Renders a service's network_mode, pid, ipc, userns_mode and uts.
struct NamespaceStep: DraftingStep, StoringStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var pod = PodDraft()
    var shared = SharedDraft()
    var reports = ReportCollector()

    mutating func run() {
        addNetworkMode()
        switch mode(workload.service.pid, key: "pid") {
        case .host: set(\.hostPID, to: true, key: "pid", of: workload)
        case .service: pod.spec.shareProcessNamespace = true
        case .other(let value):
            report(workload, "pid", "\(value) has no equivalent: the container has a namespace of its own")
        case .none: break
        }
        switch mode(workload.service.ipc, key: "ipc") {
        case .host: set(\.hostIPC, to: true, key: "ipc", of: workload)
        case .other("none"): report(workload, "ipc", "none has no equivalent: the pod has a namespace of its own")
        case .service, .other, .none: break
        }
        if workload.service.usernsMode == "host" {
            set(\.hostUsers, to: true, key: "userns_mode", of: workload)
        } else if let mode = workload.service.usernsMode, !mode.isEmpty {
            report(workload, "userns_mode", "\(mode) has no equivalent: the pod has the cluster's default")
        }
        if workload.service.uts == "host", workload.service.networkMode == "host" {
            reports[workload, "uts"] = .mapped(
                "a pod on the node's network has its host name")
        }
        if let cgroup = workload.service.cgroup, cgroup == "private" {
            reports[workload, "cgroup"] = .mapped("what containers have anyway")
        }
    }

    private enum Mode {
        case host
        case service
        case other(String)
        case none
    }

    private mutating func mode(_ value: String?, key: String) -> Mode {
        guard let value, !value.isEmpty else { return .none }
        if value == "host" { return .host }
        if value.hasPrefix("service:") {
            let name = String(value.dropFirst("service:".count))
            guard let target = self.workload(name, for: workload) else { return .service }
            if target.kind == .initContainer || workload.kind == .initContainer {
                refuse(
                    workload, key, "an init container shares a pod with the services that need it only",
                    hint: "remove the key")
            }
            return .service
        }
        if value.hasPrefix("container:") {
            refuse(
                workload, key, "\(value) is not a service of this project",
                hint: "write `\(key): service:NAME` with a service of this project")
            return .none
        }
        return .other(value)
    }

    /// On the host's network podman resolves no names of services, and neither does docker.
    private mutating func reportUnknownNames() {
        guard can(.oneHost) else { return }
        for other in workloads where other.index != workload.index && other.job == nil {
            guard let (place, mark) = mention(of: other.service.name, in: workload) else { continue }
            report(
                workload, "network_mode", at: mark,
                "\(place) names \(other.service.name), which is not known on the host's network, as in docker compose",
                hint: "publish a port of \(other.service.name) and write 127.0.0.1 there")
        }
    }

    /// kind's node is a container: what listens in its network is reached from this host by published ports only.
    private mutating func reportNodesNetwork() {
        guard can(.mappedNode), workload.service.ports.isEmpty else { return }
        report(
            workload, "network_mode", "the host's network is that of kind's node: this host reaches none of its ports",
            hint: "write the ports that it listens on under `ports:`: each is published")
    }

    private mutating func addNetworkMode() {
        switch mode(workload.service.networkMode, key: "network_mode") {
        case .host:
            set(\.hostNetwork, to: true, key: "network_mode", of: workload)
            pod.spec.dnsPolicy = "ClusterFirstWithHostNet"
            reportUnknownNames()
            reportNodesNetwork()
        case .other("none"):
            let group = groupOfWorkload[workload.index].map { groups[$0].name } ?? workload.name
            shared.networkPolicies.append(
                NetworkPolicy(
                    denyingAllOf: LabelSelector(matchLabels: selector(group)),
                    metadata: metadata(group, labels: labels(group, component: workload.component))))
        case .other("bridge"), .other("default"), .service, .none: break
        case .other(let name) where project(of: workload).networks[name] != nil: break
        case .other(let value):
            report(workload, "network_mode", "\(value) has no equivalent: the service is in the deployment's network")
        }
    }
}
