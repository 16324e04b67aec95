/// How far each workload of a start has come: what those that depend on it wait for.
actor StartupProgress {
    enum Stage: Int, Comparable {
        case pending, started, ready, completed

        static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
    }

    private var stages: [String: [Int: Stage]] = [:]
    private var failed: [String: ServiceFailure] = [:]
    /// Failures of what nothing requires.
    private var tolerated: [String: ServiceFailure] = [:]
    private var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    private var nextListener = 0
    /// When anything last came further: what a crash budget is counted from.
    private(set) var lastProgress = ContinuousClock.now

    /// - Parameter replicas: how many pods each workload has.
    init(replicas: [String: Int]) {
        for (workload, count) in replicas {
            stages[workload] = Dictionary(uniqueKeysWithValues: (1...max(1, count)).map { ($0, .pending) })
        }
    }

    /// When each pod's container last showed by itself that it serves.
    private var heard: [String: ContinuousClock.Instant] = [:]

    func recordAnswer(_ pod: String) { heard[pod] = .now }

    func wasHeard(_ pod: String, within duration: Duration) -> Bool {
        heard[pod].map { ContinuousClock.now - $0 <= duration } ?? false
    }

    var failures: [ServiceFailure] { failed.values.sorted { $0.service < $1.service } }
    var hasFailed: Bool { !failed.isEmpty }

    func reach(_ stage: Stage, workload: String, replica: Int) {
        let now = stages[workload]?[replica] ?? .pending
        guard stage > now else { return }
        stages[workload, default: [:]][replica] = stage
        lastProgress = .now
        notify()
    }

    /// - Parameter isTolerated: whether everything else goes on all the same.
    func fail(_ workload: String, _ failure: ServiceFailure, isTolerated: Bool = false) {
        if isTolerated {
            tolerated[workload] = tolerated[workload] ?? failure
        } else {
            failed[workload] = failed[workload] ?? failure
        }
        notify()
    }

    /// The least that all pods of a workload have reached; a workload that does not take part counts as completed.
    func stage(_ workload: String) -> Stage { stages[workload]?.values.min() ?? .completed }

    func failure(_ workload: String) -> ServiceFailure? { failed[workload] ?? tolerated[workload] }

    /// Waits until the workload has reached the stage, or failed; returns its failure.
    func wait(for workload: String, _ stage: Stage) async throws(CancellationError) -> ServiceFailure? {
        for await _ in changes() {
            if let failure = failure(workload) { return failure }
            if self.stage(workload) >= stage { return nil }
        }
        throw CancellationError()
    }

    /// Waits until something has failed.
    func waitForFailure() async throws(CancellationError) {
        for await _ in changes() where hasFailed { return }
        throw CancellationError()
    }

    /// One element now, and one after every change; it ends when the task is cancelled.
    private func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let listener = nextListener
        nextListener += 1
        listeners[listener] = continuation
        continuation.yield()
        return stream
    }

    /// Tells every listener, and forgets those that no longer listen.
    private func notify() {
        for (id, listener) in listeners {
            if case .terminated = listener.yield() { listeners[id] = nil }
        }
    }
}
