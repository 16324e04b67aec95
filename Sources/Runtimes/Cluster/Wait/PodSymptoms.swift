import KubernetesClient
import Rendering
import YAML

/// Reads a pod's symptoms off its status and the events about it. Pure: what lasts too long is the caller's to judge.
struct PodSymptoms {
    let pod: LiveObject
    let view: WorkloadView
    let patience: Patience
    /// Whether the pod's end is judged by its Job, which may run another.
    let isJob: Bool

    var all: [Symptom] {
        if pod.isTerminating { return [] }
        if let scheduling { return [scheduling] }
        var result = pod.initStatuses.compactMap { container($0, isInit: true) }
        if result.isEmpty { result = pod.containerStatuses.compactMap { container($0, isInit: false) } }
        if result.isEmpty, let preparation { result.append(preparation) }
        return result
    }

    // MARK: Scheduling

    private var scheduling: Symptom? {
        guard let condition = pod.condition("PodScheduled"), condition["status"]?.text == "False" else { return nil }
        let reason = condition["message"]?.text ?? condition["reason"]?.text ?? "no node accepts it"
        let isMoving = view.pods.contains(where: \.isTerminating) || !claims.isEmpty
        var result = Symptom(
            id: "\(pod.uid)/scheduling", kind: .notCreated, reason: "its pod cannot be scheduled: \(reason)",
            hint: "kubectl describe pod \(pod.name) -n \(pod.namespace ?? "")", pod: pod.name,
            patience: isMoving ? patience.unschedulableWhileMoving : patience.unschedulable)
        result.claims = claims
        return result
    }

    private var claims: [String] {
        (pod.spec?["volumes"]?.sequence ?? []).compactMap { $0.at("persistentVolumeClaim", "claimName")?.text }
    }

    // MARK: Before any container

    /// Volumes that cannot be mounted, networks that cannot be made: only events tell.
    private var preparation: Symptom? {
        let hasStarted = pod.containerStatuses.contains { $0.at("state", "waiting") == nil }
        guard !hasStarted, pod.podPhase == "Pending" else { return nil }
        let reasons = ["FailedMount", "FailedAttachVolume", "FailedMapVolume", "FailedCreatePodSandBox"]
        guard let event = view.warnings(about: pod.uid).last(where: { reasons.contains($0.eventReason) }) else {
            return nil
        }
        return Symptom(
            id: "\(pod.uid)/\(event.eventReason)", kind: .notCreated,
            reason: "its pod cannot be prepared (\(event.eventReason)): \(event.eventMessage)", pod: pod.name,
            patience: patience.mount)
    }

    // MARK: Containers

    private func container(_ status: Node, isInit: Bool) -> Symptom? {
        let name = status["name"]?.text ?? ""
        if let waiting = status.at("state", "waiting"), let symptom = self.waiting(waiting, status, name, isInit) {
            return symptom
        }
        if !isJob, let symptom = crash(status, name, isInit) { return symptom }
        return isInit ? nil : unready(status, name)
    }

    private func symptom(
        _ name: String, _ id: String, _ kind: ServiceFailure.Kind, _ reason: String, patience: Double?,
        hint: String? = nil
    ) -> Symptom {
        Symptom(
            id: "\(pod.uid)/\(name)/\(id)", kind: kind, reason: reason, hint: hint, pod: pod.name, container: name,
            patience: patience)
    }

    private func waiting(_ state: Node, _ status: Node, _ name: String, _ isInit: Bool) -> Symptom? {
        let reason = state["reason"]?.text ?? ""
        let message = state["message"]?.text ?? reason
        let image = status["image"]?.text ?? ""
        let policy = pod.specContainers.first { $0["name"]?.text == name }?["imagePullPolicy"]?.text
        var absent = "push the image, or correct its name: \(image)"
        if policy == "Always" {
            absent += "; where the nodes have it already: `image-pull-policy: IfNotPresent` in spec.yml"
        }
        switch reason {
        case "ErrImageNeverPull":
            return symptom(
                name, "image", .imageMissing,
                "its image \(image) is not on the node, and may not be pulled: \(message)",
                patience: 0, hint: "bring the image to the nodes, or let it be pulled")
        case "InvalidImageName", "ImageInspectError", "ErrImageNeverPulled":
            return symptom(name, "image", .imageMissing, "its image \(image) cannot be used: \(message)", patience: 0)
        case "ErrImagePull", "RegistryUnavailable", "SignatureValidationFailed":
            return symptom(
                name, "image", .imageMissing, "its image \(image) cannot be pulled: \(message)",
                patience: patience.pull,
                hint: absent)
        case "ImagePullBackOff":
            return symptom(
                name, "image", .imageMissing, "its image \(image) cannot be pulled: \(message)", patience: 0,
                hint: absent)
        case "CreateContainerConfigError":
            return symptom(
                name, "configuration", .missingReference, "its container cannot be configured: \(message)",
                patience: patience.configuration)
        case "RunContainerError":
            return symptom(
                name, "run", .commandNotFound, "its container cannot be started: \(message)",
                patience: patience.configuration)
        case "CreateContainerError", "PreCreateHookError", "PreStartHookError", "PostStartHookError":
            return symptom(
                name, "create", .notCreated, "its container cannot be created: \(message)", patience: patience.creation)
        default: return nil
        }
    }

    /// A container that has ended, or waits to be started again after it did.
    private func crash(_ status: Node, _ name: String, _ isInit: Bool) -> Symptom? {
        let restarts = status["restartCount"]?.intValue ?? 0
        let now = status.at("state", "terminated")
        let isBackingOff = status.at("state", "waiting", "reason")?.text == "CrashLoopBackOff"
        guard let end = now ?? (isBackingOff ? status.at("lastState", "terminated") : nil) else { return nil }
        let code = end["exitCode"]?.intValue ?? 0
        if isInit, code == 0 { return nil }
        let exits = restarts + 1
        let cause = end["reason"]?.text ?? ""
        if cause == "StartError" || cause == "ContainerCannotRun" {
            return symptom(
                name, "run", .commandNotFound,
                "its command cannot be started: \(end["message"]?.text ?? cause)", patience: 0)
        }
        var reason =
            exits > 1
            ? "it keeps ending: \(exits) times so far, last with exit code \(code)" : "it ended with exit code \(code)"
        if isInit { reason = "its init step \(name) fails: \(reason)" }
        if cause == "OOMKilled" { reason += ", out of memory (OOMKilled)" }
        if let said = end["message"]?.text, !said.isEmpty { reason += ": \(said)" }
        var symptom = symptom(
            name, "crash", isInit ? .initFailed : .crashed, reason,
            patience: exits >= patience.crashBudget ? 0 : nil,
            hint: code == 0 && !isInit
                ? "a service has to keep running; `restart: \"no\"` makes it a job that may end" : nil)
        symptom.waitsForOthers = true
        symptom.wantsPreviousLog = now == nil
        symptom.exits = (exits, code)
        return symptom
    }

    /// A container that runs and whose probe has not passed: it has as long as its probe gives it.
    private func unready(_ status: Node, _ name: String) -> Symptom? {
        guard status.at("state", "running") != nil, status["ready"]?.boolValue == false,
            let spec = pod.specContainers.first(where: { $0["name"]?.text == name })
        else { return nil }
        let startPeriod = view.workload.startPeriods[name] ?? 0
        guard let budget = ProbeBudget(readiness: spec["readinessProbe"], startPeriod: startPeriod) else { return nil }
        let unhealthy = view.warnings(about: pod.uid).filter { $0.eventReason == "Unhealthy" }
        let failures = unhealthy.reduce(0) { $0 + ($1.node["count"]?.intValue ?? 1) }
        let restarts = status["restartCount"]?.intValue ?? 0
        // Events of a container that was restarted are those of all its lives.
        let isCounted = restarts == 0
        let said = unhealthy.last.map {
            ": " + String($0.eventMessage.split(whereSeparator: \.isNewline).joined(separator: " "))
        }
        return symptom(
            name, "unready-\(restarts)", .unhealthy,
            "its health check never passed (\(budget.text))\(said ?? "")",
            patience: isCounted && failures >= budget.failures ? 0 : budget.seconds)
    }
}

/// What a container's probe allows before it has failed.
struct ProbeBudget {
    /// Failed answers in a row.
    let failures: Int
    /// The time that they take at the longest, with probes that hang.
    let seconds: Double
    let text: String

    /// - Parameter startPeriod: for how many seconds failures do not count.
    init?(readiness probe: Node?, startPeriod: Int) {
        guard let probe else { return nil }
        let period = max(1, probe["periodSeconds"]?.intValue ?? 10)
        let retries = probe["failureThreshold"]?.intValue ?? 3
        failures = retries + (startPeriod + period - 1) / period
        let longest = max(period, probe["timeoutSeconds"]?.intValue ?? 1)
        seconds = Double((probe["initialDelaySeconds"]?.intValue ?? 0) + startPeriod + retries * longest) + 2
        text = "\(retries) retries, \(period) s apart" + (startPeriod > 0 ? " after \(startPeriod) s" : "")
    }
}
