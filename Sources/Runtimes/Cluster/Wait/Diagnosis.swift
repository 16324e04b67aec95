import KubernetesClient
import Rendering
import Synchronization
import YAML

/// Gathers what a user needs to repair a workload: cause, pod, events, last log lines.
struct Diagnosis: Sendable {
    let session: ClusterSession
    let view: WorkloadView
    let mask: SecretMask

    func failure(_ symptom: Symptom) async -> ServiceFailure {
        var reason = symptom.reason
        var hint = symptom.hint
        if let claim = await unboundClaim(symptom.claims) {
            reason = "\(claim.reason); \(reason)"
            hint = claim.hint
        }
        if let pod = symptom.pod { reason += " (pod \(pod))" }
        var log = await lastLines(symptom)
        // A log says nothing where no container ever ran; events do.
        if log.isEmpty { log = eventLines(symptom.pod) }
        return ServiceFailure(
            view.workload.name, symptom.kind, mask(reason), hint: hint, log: log.map { mask($0) })
    }

    /// The first claim that has no volume, and why.
    private func unboundClaim(_ names: [String]) async -> (reason: String, hint: String)? {
        for name in names {
            let found = try? await session.client.get(.persistentVolumeClaims, name, namespace: session.namespace)
            guard let claim = found, claim.status?["phase"]?.text == "Pending" else { continue }
            let selection = Selection(namespace: session.namespace, fields: "involvedObject.uid=\(claim.uid)")
            let events = (try? await session.client.list(.events, selection).items) ?? []
            if let cause = Self.cause(of: claim, events: events.sorted { $0.eventTime < $1.eventTime }) { return cause }
        }
        return nil
    }

    /// Why a claim is still without a volume, by its class and by what was said of it last; nil where it only waits for its pod.
    static func cause(of claim: LiveObject, events: [LiveObject]) -> (reason: String, hint: String)? {
        let said = events.last.map { ": \($0.eventMessage)" } ?? ""
        guard let named = claim.spec?["storageClassName"]?.text, !named.isEmpty else {
            let isBoundByName = claim.spec?["volumeName"]?.text != nil
            return (
                "its volume claim \(claim.name) has no volume"
                    + (isBoundByName ? said : ": the cluster has no default StorageClass\(said)"),
                isBoundByName
                    ? "kubectl describe pvc \(claim.name) -n \(claim.namespace ?? "")"
                    : "make a StorageClass the default one (kubectl get storageclass), or give the volume a path in spec.yml"
            )
        }
        // https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode
        let waiting = ["WaitForFirstConsumer", "WaitForPodScheduled"]
        guard let last = events.last, !waiting.contains(last.eventReason) else { return nil }
        return (
            "its volume claim \(claim.name) gets no volume from the StorageClass \(named)\(said)",
            "kubectl describe pvc \(claim.name) -n \(claim.namespace ?? "") and kubectl get storageclass \(named)"
        )
    }

    func standstill(_ assessment: Assessment, seconds: Double) async -> ServiceFailure {
        let pod = view.pods.first
        let where_ = pod.map { " (pod \($0.name): \($0.podPhase))" } ?? " (it has no pod)"
        return ServiceFailure(
            view.workload.name, .notCreated,
            "nothing has changed for \(Int(seconds)) s while waiting for \(assessment.awaits)\(where_)",
            hint:
                "kubectl -n \(session.namespace) describe \(view.workload.kind.rawValue.lowercased()) \(view.workload.name)",
            log: eventLines(pod?.name).map { mask($0) })
    }

    private func eventLines(_ pod: String?) -> [String] {
        let uid = view.pods.first { $0.name == pod }?.uid ?? view.object?.uid ?? ""
        var seen: Set<String> = []
        let lines = view.warnings(about: uid).map { event in
            "event \(event.eventReason): "
                + event.eventMessage.split(whereSeparator: \.isNewline).joined(separator: " ")
        }
        return lines.filter { seen.insert($0).inserted }.suffix(5).map { $0 }
    }

    /// The last lines of the run that ended, else of the one that runs.
    private func lastLines(_ symptom: Symptom) async -> [String] {
        guard let pod = symptom.pod, let container = symptom.container else { return [] }
        let found = await lines(pod, container, previous: symptom.wantsPreviousLog)
        return found.isEmpty ? await lines(pod, container, previous: !symptom.wantsPreviousLog) : found
    }

    private func lines(_ pod: String, _ container: String, previous: Bool) async -> [String] {
        var request = PodLogRequest(namespace: session.namespace, pod: pod, container: container)
        request.tailLines = 10
        request.previous = previous
        request.timestamps = true
        let lines = Lines()
        try? await session.client.logs(request) { line in if let own = TimedLine(line) { lines.add(own.text) } }
        return lines.all
    }
}

/// Lines in the order in which they came.
final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    var all: [String] { lines.withLock { $0 } }
}
