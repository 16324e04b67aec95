import KubernetesClient
import Rendering
import YAML

extension WorkloadView {
    /// How far the workload has come, and what keeps it. The rules are those of kstatus, and the pods' own words besides.
    func assess(_ patience: Patience = Patience()) -> Assessment {
        guard let object, !object.isTerminating else { return Assessment(stage: .pending, awaits: "it to be created") }
        if hasFormerPods {
            return Assessment(stage: .pending, awaits: "its node, which was started again, to start its pods again")
        }
        switch workload.kind {
        case .deployment: return deployment(object, patience)
        case .daemonSet: return daemonSet(object, patience)
        case .job: return job(object, patience)
        case .cronJob: return Assessment(stage: .ready)
        }
    }

    private func number(_ object: LiveObject, _ key: String) -> Int { object.status?[key]?.intValue ?? 0 }

    private func isObserved(_ object: LiveObject) -> Bool { number(object, "observedGeneration") >= object.generation }

    private func deployment(_ object: LiveObject, _ patience: Patience) -> Assessment {
        let wanted = object.spec?["replicas"]?.intValue ?? 1
        let isAhead = hasReadyPods(wanted)
        guard isObserved(object) || isAhead else {
            return Assessment(stage: .pending, awaits: "the cluster to take up the change")
        }
        var result = pods(wanted: wanted, patience)
        if isObserved(object) { result.symptoms += controllerSymptoms(object) }
        let isReady =
            isAhead
            || isSeen(result) && number(object, "updatedReplicas") >= wanted
                && number(object, "replicas") <= number(object, "updatedReplicas")
                && number(object, "availableReplicas") >= wanted
        if isReady {
            result.stage = .ready
        } else {
            result.symptoms += rejections(patience)
            result.stage = min(result.stage, .started)
            // The status counts pods of the former version too.
            let ready = currentPods.filter { !$0.isTerminating && $0.isTrue("Ready") }.count
            result.awaits = "\(min(ready, wanted)) of \(wanted) pods ready"
        }
        return result
    }

    private func daemonSet(_ object: LiveObject, _ patience: Patience) -> Assessment {
        guard isObserved(object) else {
            return Assessment(stage: .pending, awaits: "the cluster to take up the change")
        }
        let wanted = number(object, "desiredNumberScheduled")
        var result = pods(wanted: wanted, patience)
        result.symptoms += creationFailures(object)
        if isSeen(result), number(object, "updatedNumberScheduled") >= wanted,
            number(object, "numberAvailable") >= wanted
        {
            result.stage = .ready
        } else {
            result.symptoms += rejections(patience)
            result.stage = min(result.stage, .started)
            result.awaits = "\(number(object, "numberAvailable")) of \(wanted) pods ready"
        }
        return result
    }

    private func job(_ object: LiveObject, _ patience: Patience) -> Assessment {
        if object.isTrue("Complete") || object.isTrue("SuccessCriteriaMet") { return Assessment(stage: .completed) }
        if object.isTrue("Failed") { return Assessment(stage: .pending, symptoms: [jobFailure(object)]) }
        let wanted = max(1, object.spec?["parallelism"]?.intValue ?? 1)
        var result = pods(wanted: wanted, patience)
        result.symptoms += creationFailures(object)
        if !workload.completes, isSeen(result), number(object, "ready") >= wanted {
            result.stage = .ready
        } else {
            result.symptoms += rejections(patience)
            result.stage = min(result.stage, .started)
            result.awaits = workload.completes ? "the job to end" : "\(number(object, "ready")) of \(wanted) pods ready"
        }
        return result
    }

    // MARK: Pods

    /// Whether the pods show what their controller says of them. Both are watched apart: its word may come before they are seen to run, and what is not
    /// seen to run has not stayed up. Where no pod is seen to live at all, its word has to do.
    private func isSeen(_ pods: Assessment) -> Bool {
        pods.stage == .ready || currentPods.allSatisfy { $0.isTerminating || $0.podPhase == "Failed" }
    }

    private func pods(wanted: Int, _ patience: Patience) -> Assessment {
        let pods = currentPods.filter { !$0.isTerminating && $0.podPhase != "Failed" }
        var result = Assessment(stage: wanted == 0 ? .ready : .pending)
        for pod in currentPods {
            let isOver = pod.podPhase == "Failed" && workload.kind != .job
            if isOver { continue }
            result.symptoms += PodSymptoms(pod: pod, view: self, patience: patience, isJob: workload.kind == .job).all
        }
        let running = pods.filter { pod in
            let statuses = pod.containerStatuses
            return !statuses.isEmpty && statuses.allSatisfy { $0.at("state", "waiting") == nil }
        }
        if running.count >= wanted { result.stage = .ready }
        for pod in running {
            for container in pod.specContainers where container["readinessProbe"] == nil {
                let name = container["name"]?.text ?? ""
                let status = pod.containerStatuses.first { $0["name"]?.text == name }
                result.settling.insert("\(pod.uid)/\(name)/\(status?["restartCount"]?.intValue ?? 0)")
            }
        }
        return result
    }

    // MARK: Controllers

    /// Quotas, admission and security rules refuse pods, not the workload: its controller tells.
    private func controllerSymptoms(_ object: LiveObject) -> [Symptom] {
        var result: [Symptom] = []
        if let failure = object.condition("ReplicaFailure"), failure["status"]?.text == "True" {
            result.append(
                Symptom(
                    id: "\(object.uid)/replicas", kind: .notCreated,
                    reason:
                        "its pods are refused (\(failure["reason"]?.text ?? "")): \(failure["message"]?.text ?? "")",
                    patience: 1))
        }
        if let progress = object.condition("Progressing"), progress["status"]?.text == "False" {
            result.append(
                Symptom(
                    id: "\(object.uid)/progress", kind: .notCreated,
                    reason: "its rollout does not get on (\(progress["reason"]?.text ?? "")): "
                        + (progress["message"]?.text ?? ""), patience: 0))
        }
        return result
    }

    private func creationFailures(_ object: LiveObject) -> [Symptom] {
        guard currentPods.isEmpty,
            let event = warnings(about: object.uid).last(where: { $0.eventReason == "FailedCreate" })
        else { return [] }
        return [
            Symptom(
                id: "\(object.uid)/create", kind: .notCreated, reason: "its pods are refused: \(event.eventMessage)",
                patience: 1)
        ]
    }

    private func jobFailure(_ object: LiveObject) -> Symptom {
        let condition = object.condition("Failed")
        let failed = pods.filter { $0.controller?.uid == object.uid && $0.podPhase == "Failed" }
            .max { ($0.creationTimestamp ?? "") < ($1.creationTimestamp ?? "") }
        var reason = "the job failed (\(condition?["reason"]?.text ?? "")): \(condition?["message"]?.text ?? "")"
        var container: String?
        var kind = ServiceFailure.Kind.jobFailed
        for status in (failed?.initStatuses ?? []) + (failed?.containerStatuses ?? []) {
            guard let end = status.at("state", "terminated"), let code = end["exitCode"]?.intValue, code != 0 else {
                continue
            }
            container = status["name"]?.text
            let times = number(object, "failed")
            reason = "the job ended with exit code \(code)" + (times > 1 ? ", \(times) times in a row" : "")
            if end["reason"]?.text == "OOMKilled" { reason += ", out of memory (OOMKilled)" }
            if end["reason"]?.text == "StartError" {
                kind = .commandNotFound
                reason = "its command cannot be started: \(end["message"]?.text ?? "")"
            }
            break
        }
        if container == nil, let rejection = failed?.rejection {
            reason += "; its last pod: \(rejection.reason): \(rejection.message)"
        }
        return Symptom(
            id: "\(object.uid)/failed", kind: kind, reason: reason, pod: failed?.name, container: container, patience: 0
        )
    }
}
