package import Rendering
package import Specs
package import Stacks
package import YAML

/// What happens while an operation runs: for progress only, results are returned.
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
        /// Another command holds the deployment's lock, and is waited for.
        case locked(by: String, directory: String)
        /// What a start does, before it does any of it.
        case decided(Plan)
        /// What the services are given of this host.
        case hostAccess([HostAccess])
        /// A program of the stack's, such as a hook, has written a line.
        case output(of: String, line: String)
        case fetching(RepositoryLocator, FetchEvent)
        case building(BuildEvent)
        /// A deployment directory was brought up to its source.
        case updated(DirectoryUpdate, directory: String)
        /// The deployment's files have errors: what runs is stopped by its labels.
        case unreadable([Diagnostic])
        /// Something else to know; a detail is for who asked for more.
        case message(String, isDetail: Bool = false)
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
