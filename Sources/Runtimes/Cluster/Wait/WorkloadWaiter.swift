import KubernetesClient
import Rendering

/// Follows one workload until it is ready, or cannot be.
struct WorkloadWaiter: Sendable {
    let session: ClusterSession
    let workload: Workload
    let state: ClusterState
    let startup: StartupProgress
    let events: EventHandler
    let mask: SecretMask
    let patience: Patience
    let isKept: Bool
    /// Makes the workload again when it has gone meanwhile.
    var restore: @Sendable () async throws -> Void = {}

    /// Seconds that something without a probe has to stay up: the kubelet tells of an end within one.
    private static let settling = 1.2
    /// Seconds in which nothing at all may change: an image of many gigabytes is pulled in silence.
    private static let limit = 900.0

    /// - Returns: why it cannot become ready; nil when it is.
    func run() async throws -> ServiceFailure? {
        let goal: StartupProgress.Stage = workload.completes ? .completed : .ready
        var toldExits = 0
        var toldProbing = ""
        var timesLost = 0
        for await _ in await state.changes(of: workload.name) {
            guard let view = await state.view(of: workload.name) else { continue }
            if view.isLost {
                timesLost += 1
                guard timesLost <= Self.restorations else { return lost() }
                try await restore()
                continue
            }
            let assessment = view.assess(patience)
            if let symptom = await state.overdue(workload.name, assessment, patience: patience).first {
                return await Diagnosis(session: session, view: view, mask: mask).failure(symptom)
            }
            if let exits = assessment.symptoms.compactMap(\.exits).first, exits.count > toldExits {
                toldExits = exits.count
                events(Event(workload.name, .restarted(exitCode: exits.code, times: exits.count)))
            }
            if let probing = assessment.symptoms.first(where: { $0.kind == .unhealthy })?.reason, probing != toldProbing
            {
                toldProbing = probing
                events(Event(workload.name, .probing(mask(assessment.awaits))))
            }
            let settled = await state.hasSettled(workload.name, assessment, seconds: isKept ? 0 : Self.settling)
            let isUp = assessment.stage == .completed || assessment.symptoms.isEmpty && settled
            if assessment.stage >= .started { await reach(.started) }
            if assessment.stage >= goal, isUp {
                await reach(goal)
                return nil
            }
            if await state.standsStill(workload.name, seconds: Self.limit) {
                return await Diagnosis(session: session, view: view, mask: mask).standstill(
                    assessment, seconds: Self.limit)
            }
        }
        throw CancellationError()
    }

    /// How often it is made again before whoever deletes it is named.
    private static let restorations = 5

    private func lost() -> ServiceFailure {
        ServiceFailure(
            workload.name, .notCreated, "it was deleted \(Self.restorations) times while it started",
            hint: "see who deletes it: another `so deployment stop`, or a controller of the cluster")
    }

    private func reach(_ stage: StartupProgress.Stage) async {
        await startup.reach(stage, workload: workload.name, replica: 1)
    }
}
