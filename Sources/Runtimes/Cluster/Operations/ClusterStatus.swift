import FoundationEssentials
import KubernetesClient
import KubernetesObjects
import Rendering
import YAML

extension ClusterRuntime {
    package func status(_ deployment: DeploymentModel, probe: Bool) async throws(DeploymentError) -> [PodStatus] {
        try await withSession(deployment) { session async throws(DeploymentError) in
            let workloads = deployment.rendered.workloads
            let state = try await session.look(workloads)
            let ports = try await session.ports()
            var result: [PodStatus] = []
            for workload in workloads {
                guard let view = await state.view(of: workload.name) else { continue }
                result += ClusterStatus(view: view, ports: ports[workload.name] ?? []).pods
            }
            return result.showing(deployment.routeAddresses)
        }
    }
}

/// How one workload's pods stand.
private struct ClusterStatus {
    let view: WorkloadView
    let ports: [PodStatus.Port]

    var pods: [PodStatus] {
        if view.workload.kind == .cronJob { return runs }
        let live = view.pods.filter { !$0.isTerminating && !isOldEnd($0) }.sorted { $0.name < $1.name }
        let wanted = view.workload.kind == .deployment ? view.object?.spec?["replicas"]?.intValue ?? 1 : 1
        var result = live.enumerated().map { status($1, replica: $0 + 1) }
        // A finished job's pods may have been cleaned away.
        if result.isEmpty, view.object?.isTrue("Complete") == true { return [absent(1, state: .completed)] }
        if result.count < wanted { result += (result.count + 1...wanted).map { absent($0, state: .absent) } }
        return result
    }

    /// What the clock has started and still runs; else that nothing is due, and how the last run ended where it failed.
    private var runs: [PodStatus] {
        guard view.object != nil else { return [absent(1, state: .absent)] }
        let live = view.pods.filter { !$0.isTerminating }.sorted { $0.name < $1.name }
        let running = live.filter { !["Succeeded", "Failed"].contains($0.podPhase) }
        guard running.isEmpty else { return running.enumerated().map { status($1, replica: $0 + 1) } }
        var result = empty("", 1)
        (result.state, result.isReady) = (.scheduled, true)
        let last = live.max { ($0.creationTimestamp ?? "") < ($1.creationTimestamp ?? "") }
        if let last, last.podPhase == "Failed" {
            result.exitCode = status(last, replica: 1).exitCode
            result.health = "its last run failed" + (result.exitCode.map { " with exit code \($0)" } ?? "")
        }
        return [result]
    }

    /// Pods that a Job or ReplicaSet has replaced by newer ones.
    private func isOldEnd(_ pod: LiveObject) -> Bool {
        guard pod.podPhase == "Failed" else { return false }
        return view.pods.contains { ($0.creationTimestamp ?? "") > (pod.creationTimestamp ?? "") }
    }

    private func empty(_ pod: String, _ replica: Int) -> PodStatus {
        PodStatus(
            service: view.workload.name, pod: pod, replica: replica, containers: view.workload.services, image: "",
            state: .absent, isReady: false, isJob: [.job, .cronJob].contains(view.workload.kind), restarts: 0,
            ports: ports)
    }

    private func absent(_ replica: Int, state: PodStatus.State) -> PodStatus {
        var result = empty("", replica)
        result.state = state
        result.isReady = state == .completed
        result.exitCode = state == .completed ? 0 : nil
        let symptoms = view.assess().symptoms
        result.health = symptoms.first?.reason
        return result
    }

    private func status(_ pod: LiveObject, replica: Int) -> PodStatus {
        var result = empty(pod.name, replica)
        let statuses = pod.containerStatuses
        result.image = pod.specContainers.first?["image"]?.text ?? ""
        result.restarts = pod.restarts
        result.isReady = pod.isTrue("Ready") || pod.podPhase == "Succeeded"
        let ends = statuses.compactMap { $0.at("state", "terminated") ?? $0.at("lastState", "terminated") }
        let started = statuses.compactMap { $0.at("state", "running", "startedAt")?.text }.min()
        result.startedAt = started.flatMap { try? Date($0, strategy: .iso8601) }.map { Int($0.timeIntervalSince1970) }
        result.state = state(pod, statuses)
        if result.state != .running { result.exitCode = ends.first?["exitCode"]?.intValue }
        if pod.specContainers.contains(where: { $0["readinessProbe"] != nil }), result.state == .running {
            result.healthy = pod.isTrue("Ready")
        }
        let symptoms = PodSymptoms(pod: pod, view: view, patience: Patience(), isJob: false).all
        if !result.isReady { result.health = symptoms.first?.reason }
        return result
    }

    private func state(_ pod: LiveObject, _ statuses: [Node]) -> PodStatus.State {
        switch pod.podPhase {
        case "Succeeded": return .completed
        case "Failed": return .failed
        default: break
        }
        if statuses.contains(where: { $0.at("state", "waiting", "reason")?.text == "CrashLoopBackOff" }) {
            return .restarting
        }
        if statuses.contains(where: { $0.at("state", "terminated") != nil }) { return .restarting }
        let isRunning = !statuses.isEmpty && statuses.allSatisfy { $0.at("state", "running") != nil }
        return isRunning ? .running : .pending
    }
}

extension ClusterSession {
    /// The node ports of each workload, with an address that reaches them.
    func ports() async throws(DeploymentError) -> [String: [PodStatus.Port]] {
        guard model.rendered.objects.contains(where: { $0.nodePortService != nil }) else { return [:] }
        let services = try await call { () async throws(KubernetesError) in
            try await client.list(.services, Selection(namespace: namespace, labels: "\(Keys.instance)=\(model.id)"))
                .items
        }
        let address = try await nodeAddress()
        var result: [String: [PodStatus.Port]] = [:]
        for service in services where service.spec?["type"]?.text == "NodePort" {
            guard let workload = service.spec?.at("selector", Keys.name)?.text else { continue }
            for port in service.spec?["ports"]?.sequence ?? [] {
                guard let node = port["nodePort"]?.intValue, let number = port["port"]?.intValue else { continue }
                result[workload, default: []].append(
                    PodStatus.Port(
                        hostIP: address, hostPort: node, containerPort: number,
                        transport: (port["protocol"]?.text ?? "TCP").lowercased()))
            }
        }
        return result
    }

    func published() async throws(DeploymentError) -> [PublishedPort] {
        try await ports().sorted { $0.key < $1.key }.flatMap { name, ports in
            ports.map { port in
                let key = RenderOptions.publishedPortKey(
                    service: name, port: port.containerPort, transport: port.transport)
                let wanted = model.rendered.wantedPorts[key]
                return PublishedPort(service: name, port: port, wanted: wanted == port.hostPort ? nil : wanted)
            }
        }
    }

    /// A node's address from outside where it has one; the API server's where nodes may not be read.
    private func nodeAddress() async throws(DeploymentError) -> String {
        // kind maps the pool to the loopback address alone; its nodes' own are not a way in from a host whose engine is a virtual machine.
        if nodePorts != nil { return "127.0.0.1" }
        guard let nodes = try? await client.list(.nodes, Selection()).items, let first = nodes.first else {
            return client.access.host
        }
        let addresses = first.status?["addresses"]?.sequence ?? []
        for type in ["ExternalIP", "InternalIP"] {
            if let found = addresses.first(where: { $0["type"]?.text == type })?["address"]?.text { return found }
        }
        return client.access.host
    }
}

extension KubernetesObject {
    fileprivate var nodePortService: Service? {
        if case .service(let service) = self, service.spec.type == "NodePort" { service } else { nil }
    }
}
