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
