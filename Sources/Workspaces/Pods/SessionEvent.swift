package import Runtimes

/// What happens while a session's operation runs: for progress only.
package enum SessionEvent: Sendable {
    case preparing(SessionID)
    /// The project's commits are brought into the base store.
    case cloning
    case buildingImage(String)
    case pods(Event)
    /// A step of the end.
    case collecting
    case delivering
    case removing
    case note(String)
}

package typealias SessionEvents = @Sendable (SessionEvent) -> Void
