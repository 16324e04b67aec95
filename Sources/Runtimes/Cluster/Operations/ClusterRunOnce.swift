import ExternalTools
import KubernetesClient
import KubernetesObjects
import Rendering
import Synchronization
import YAML

extension ClusterRuntime {
    /// Runs a pod of its own beside the service's, as `kubectl run` does: its output is its log, its input and its terminal are attached.
    package func prepareRun(
        _ deployment: DeploymentModel, _ request: RunRequest, events: @escaping EventHandler
    ) async throws(DeploymentError) -> PreparedRun {
        let workload = try deployment.workload(named: request.service)
        try request.refusePodmanOptions()
        guard !request.publishesPorts else {
            throw DeploymentError(
                .unsupported, "a pod of its own publishes no ports on clusters",
                hint: "leave out --service-ports; so deployment port-forward reaches a service")
        }
        var assigned = request
        assigned.environment = request.environment.map { ExecRequest.assigned($0, deployment.environment) }
        try await withSession(deployment) { session async throws(DeploymentError) in
            try await session.refuseMissingReferences()
            try await prepare(deployment, events)
        }
        return PreparedRun { [assigned] (streams) async throws(DeploymentError) in
            try await withSession(deployment) { session async throws(DeploymentError) in
                try await session.runOnce(workload, assigned.suited(to: streams), on: streams)
            }
        }
    }
}

extension ClusterSession {
    fileprivate func runOnce(
        _ workload: Workload, _ request: RunRequest, on streams: CommandStreams
    ) async throws(DeploymentError) -> Int {
        let observed = try await observe()
        try observed.refuseForeignNamespace(model)
        guard observed.hasInventory else {
            throw DeploymentError(
                .failed,
                "the deployment has not been started: the service's settings and secrets are not in the cluster",
                hint: "so deployment start")
        }
        let plan = try await plan(observed, options: StartOptions())
        guard
            let template = plan.decisions.first(where: { $0.object.workload == workload.name })?.object.node
                .at(workload.templatePath)
        else {
            throw DeploymentError(.missing, "nothing was rendered for \(workload.name)")
        }
        let pod = try RunPod(template, workload, request, in: namespace)
        _ = try await call { () async throws(KubernetesError) in try await client.create(pod.node) }
        do {
            let status = try await follow(pod, workload, request, on: streams)
            if request.removes, !request.isDetached { await delete(pod) }
            return status
        } catch {
            // What nobody waits for any more would go on for ever.
            await delete(pod)
            throw error
        }
    }

    private func follow(
        _ pod: RunPod, _ workload: Workload, _ request: RunRequest, on streams: CommandStreams
    ) async throws(DeploymentError) -> Int {
        let kubectl = KubectlPod(self.kubectl, pod: pod.name, container: pod.container)
        if request.isDetached { return try await run(kubectl.name, on: streams.withoutInput) }
        _ = try await statuses(of: pod, workload, "starting") { $0.at("state", "waiting") == nil }
        if request.tty {
            // One that was over before anybody could attach has its log.
            if try await run(kubectl.attach(tty: true), on: streams) != 0 {
                _ = try await run(kubectl.log, on: streams.withoutInput)
            }
        } else {
            // An attached stream misses what was written before: the output is read from the log, and only input is attached.
            async let _ = attachInput(kubectl, request, streams)
            _ = try await run(kubectl.log, on: streams.withoutInput)
        }
        let ended = try await statuses(of: pod, workload, "the end of") { $0.at("state", "terminated") != nil }
        return ended.compactMap { $0.at("state", "terminated", "exitCode")?.intValue }.first { $0 != 0 } ?? 0
    }

    private func attachInput(_ kubectl: KubectlPod, _ request: RunRequest, _ streams: CommandStreams) async {
        guard request.interactive else { return }
        _ = try? await kubectl.attach(tty: false).withoutOutput.run(on: streams)
    }

    private func run(_ command: Command, on streams: CommandStreams) async throws(DeploymentError) -> Int {
        do {
            return try await command.run(on: streams)
        } catch {
            throw DeploymentError(kubectl: error, "the pod could not be followed")
        }
    }

    /// Seconds in which nothing at all may change before a pod runs: large images are pulled in silence.
    private static let silence = 900.0

    /// Waits until all its containers are as wanted.
    ///
    /// - Throws: why they cannot be.
    private func statuses(
        of pod: RunPod, _ workload: Workload, _ what: String, are isWanted: @escaping @Sendable (Node) -> Bool
    ) async throws(DeploymentError) -> [Node] {
        let (name, found) = (pod.name, Found())
        try await wait(
            .pods, Selection(namespace: namespace, fields: "metadata.name=\(name)"), limit: Self.silence,
            what: "\(what) \(name)"
        ) { objects in
            found.pod = objects[name]
            guard let live = objects[name] else { return true }
            let statuses = live.containerStatuses
            return !statuses.isEmpty && statuses.allSatisfy(isWanted) || live.symptom(of: workload) != nil
        }
        guard let live = found.pod else { throw DeploymentError(.failed, "\(name) was deleted while it ran") }
        if let symptom = live.symptom(of: workload) {
            let view = WorkloadView(workload: workload, pods: [live])
            var error = DeploymentError(.failed, "\(name) cannot run")
            error.failures = [await Diagnosis(session: self, view: view, mask: SecretMask([])).failure(symptom)]
            throw error
        }
        return live.containerStatuses
    }

    /// Removes it, also where this command was interrupted: kubectl comes to its end all the same.
    private func delete(_ pod: RunPod) async {
        let kubectl = KubectlPod(self.kubectl, pod: pod.name, container: pod.container)
        _ = try? await kubectl.delete.result()
    }
}

/// The last state of a pod that a wait has seen.
private final class Found: Sendable {
    private let value = Mutex<LiveObject?>(nil)

    var pod: LiveObject? {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

extension LiveObject {
    /// What keeps the pod from running for good: a pod that a kubelet has rejected, an image that is nowhere, a command that is not there.
    fileprivate func symptom(of workload: Workload) -> Symptom? {
        if let rejection {
            return Symptom(
                id: uid, kind: .rejected, reason: "its pod is rejected (\(rejection.reason)): \(rejection.message)",
                pod: name)
        }
        let ends = containerStatuses.compactMap { $0.at("state", "terminated") }
        if let end = ends.first(where: { ["StartError", "ContainerCannotRun"].contains($0["reason"]?.text) }) {
            return Symptom(
                id: uid, kind: .commandNotFound,
                reason: "its command cannot be started: \(end["message"]?.text ?? "the runtime says no more")",
                pod: name)
        }
        let view = WorkloadView(workload: workload, pods: [self])
        return PodSymptoms(pod: self, view: view, patience: Patience(), isJob: true).all.first { $0.patience == 0 }
    }
}

/// A pod of its own that has the settings of one container of a workload's pods.
struct RunPod: Sendable {
    var name: String
    var container: String
    var node: Node

    init(_ template: Node, _ workload: Workload, _ request: RunRequest, in namespace: String) throws(DeploymentError) {
        let containers = template.at("spec", "containers")?.sequence ?? []
        let wanted = Names.label(request.service)
        guard let own = containers.first(where: { $0["name"]?.text == wanted }) ?? containers.first else {
            throw DeploymentError(.missing, "nothing was rendered for \(request.service)")
        }
        let suffix = String(UInt32.random(in: 0...UInt32.max), radix: 36)
        name = request.name ?? Names.label("\(workload.name)-run-\(suffix)")
        container = own["name"]?.text ?? wanted
        // Without the service's name: its Service, its status and its logs are not about this pod.
        var labels = template.at("metadata", "labels")?.mapping ?? Mapping()
        labels[Keys.name] = nil
        labels[ClusterNames.run] = .string(workload.name)
        var spec = template["spec"]?.mapping ?? Mapping()
        spec["initContainers"] = nil
        spec["containers"] = .list([try Self.container(own, request)])
        spec["restartPolicy"] = .string("Never")
        node = .map([
            ("apiVersion", .string("v1")), ("kind", .string("Pod")),
            (
                "metadata",
                .map([
                    ("name", .string(name)), ("namespace", .string(namespace)), ("labels", Node(.mapping(labels))),
                ])
            ), ("spec", Node(.mapping(spec))),
        ])
    }

    private static func container(_ own: Node, _ request: RunRequest) throws(DeploymentError) -> Node {
        var result = own.mapping ?? Mapping()
        for key in ["livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "ports"] { result[key] = nil }
        if !request.command.isEmpty { result["args"] = .list(request.command.map { .string($0) }) }
        if let entrypoint = request.entrypoint {
            result["command"] = .list([.string(entrypoint)])
            if request.command.isEmpty { result["args"] = nil }
        }
        if let directory = request.workingDirectory { result["workingDir"] = .string(directory) }
        let interactive = request.interactive && !request.isDetached
        for key in ["stdin", "stdinOnce"] { result[key] = .plain(interactive ? "true" : "false") }
        result["tty"] = .plain(request.tty && interactive ? "true" : "false")
        let given = request.environment.map { text -> (String, String) in
            let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (sides[0], sides.count > 1 ? sides[1] : "")
        }
        let names = Set(given.map(\.0))
        let kept = (result["env"]?.sequence ?? []).filter { !names.contains($0["name"]?.text ?? "") }
        let added = given.map { Node.map([("name", .string($0.0)), ("value", .string($0.1))]) }
        if !(kept + added).isEmpty { result["env"] = .list(kept + added) }
        var node = Node(.mapping(result))
        if let user = request.user {
            for (key, number) in zip(["runAsUser", "runAsGroup"], try numbers(of: user)) {
                node = node.setting(["securityContext", key], .plain("\(number)"))
            }
        }
        return node
    }

    /// `1000:100`: Kubernetes takes numbers alone.
    private static func numbers(of user: String) throws(DeploymentError) -> [Int] {
        var result: [Int] = []
        for part in user.split(separator: ":", maxSplits: 1) {
            guard let number = part == "root" ? 0 : Int(part), number >= 0 else {
                throw DeploymentError(
                    .unsupported, "`--user \(user)` names a user, Kubernetes takes numbers only",
                    hint: "write the number that the image's /etc/passwd gives it")
            }
            result.append(number)
        }
        return result
    }
}
