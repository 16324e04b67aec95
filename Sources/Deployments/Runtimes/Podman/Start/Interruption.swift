import ExternalTools

/// Why the work on one pod ended early.
enum Interruption: Error {
    case failure(ServiceFailure)
    /// Something else failed, and this would only have waited.
    case abandoned
    case cancelled
    case podman(DeploymentError)

    init(_ failure: CommandFailure) {
        self = failure.code == .cancelled ? .cancelled : .podman(DeploymentError(podman: failure))
    }

    /// What a task group or an untyped closure rethrows.
    init(_ error: any Error) {
        switch error {
        case let interruption as Interruption: self = interruption
        case let failure as CommandFailure: self.init(failure)
        case let error as DeploymentError: self = .podman(error)
        default: self = .cancelled
        }
    }
}

/// Lets a number of tasks in at a time, in the order in which they came.
actor Gate {
    private var places: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(places: Int) { self.places = places }

    func pass<Value: Sendable, Failure: Error>(
        _ body: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async {
        if places > 0 {
            places -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func leave() {
        if waiting.isEmpty { places += 1 } else { waiting.removeFirst().resume() }
    }
}
