/// What is written with a task, in one transaction.
package struct TaskStep: Hashable, Sendable {
    package var activities: [Activity]
    /// What its agent has written.
    package var output: String
    /// The workspace that its agent is in, as it is now.
    package var agent: AgentRecord?

    package init(_ activities: [Activity] = [], output: String = "", agent: AgentRecord? = nil) {
        self.activities = activities
        self.output = output
        self.agent = agent
    }
}
