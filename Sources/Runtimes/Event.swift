package import YAML

/// What happens while a runtime works: for progress only, results are returned.
package struct Event: Hashable, Sendable {
    package enum Phase: Hashable, Sendable {
        /// The plan is made; nothing has been changed yet.
        case planned(Plan)
        case pulling(image: String)
        /// An image of this host is brought to the nodes of a cluster.
        case loading(image: String, cluster: String)
        /// Waits for another service to be started, healthy or completed.
        case waiting(for: String)
        /// Its old pod is being removed because this changed.
        case replacing(reason: String)
        case creating
        /// One of its init steps runs.
        case initStep(String)
        /// It runs, and is not known to be ready yet.
        case started
        /// Its health check has not passed yet; the last answer.
        case probing(String)
        /// It ended and was started again.
        case restarted(exitCode: Int, times: Int)
        /// Seconds since the operation began to work on it.
        case ready(seconds: Double)
        /// A job has ended well.
        case completed(seconds: Double)
        case unchanged
        case stopping
        case removed
        /// Something of the deployment's, other than a pod: a network, volume, secret or directory.
        case deleted(String)
        /// Something that `stop` leaves in place, and why.
        case kept(String)
        case failed(String)
        /// It is not waited for any longer, because another service failed.
        case abandoned(isStarted: Bool)
        case note(Diagnostic)
    }

    /// The workload; nil for what concerns the whole deployment.
    package var service: String?
    package var phase: Phase

    package init(_ service: String?, _ phase: Phase) {
        self.service = service
        self.phase = phase
    }
}

/// Where an operation reports its progress; called from several tasks at once.
package typealias EventHandler = @Sendable (Event) -> Void
