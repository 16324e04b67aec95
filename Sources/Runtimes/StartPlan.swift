/// A start that is decided: it is printed, and executed as it stands.
///
/// It holds what was observed when it was made, so that what is executed is what was shown. Only what a start itself makes before it changes
/// anything else is not known yet: generated secrets, images that are pulled, a cluster.
package struct StartPlan: Sendable, CustomStringConvertible {
    package typealias Execution = @Sendable (@escaping EventHandler) async throws(DeploymentError) -> StartResult

    /// What it does, as it is printed.
    package let summary: Plan
    package let options: StartOptions
    private let execution: Execution

    package init(_ summary: Plan, _ options: StartOptions, execution: @escaping Execution) {
        self.summary = summary
        self.options = options
        self.execution = execution
    }

    package var items: [Plan.Item] { summary.items }
    /// Whether executing it changes nothing.
    package var isEmpty: Bool { summary.isEmpty }
    package var description: String { summary.description }

    /// Brings everything up and waits until all of it is ready, or something cannot be.
    package func execute(events: @escaping EventHandler) async throws(DeploymentError) -> StartResult {
        try await execution(events)
    }
}
