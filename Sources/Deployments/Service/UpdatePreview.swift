package import Runtimes

/// What an update of a deployment would do, without anything being pulled or written.
package struct UpdatePreview: Sendable {
    /// The clone that would be brought forward.
    package var pulled: String?
    /// The files of the deployment directory that would be written or removed.
    package var files: [String] = []
    /// What the start would do with the deployment's files as they are.
    package var plan: Plan
}
