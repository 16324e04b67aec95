package import Rendering
package import Runtimes
package import Specs
package import Stacks
package import YAML

/// What happens while an operation on a deployment runs, its runtime's events among it: for progress only, results are returned.
package enum DeploymentEvent: Hashable, Sendable {
    case runtime(Event)
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

/// Where an operation reports its progress; called from several tasks at once.
package typealias DeploymentEventHandler = @Sendable (DeploymentEvent) -> Void
