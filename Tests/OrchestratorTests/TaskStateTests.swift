import Orchestrator
import Testing

@Suite("The states of a task")
struct TaskStateTests {
    @Test(
        "A state is not both active and ended, and only review, done and what a person has to look at need no replica")
    func partition() {
        #expect(TaskState.active.isDisjoint(with: TaskState.ended))
        let waiting = Set(TaskState.allCases).subtracting(TaskState.active).subtracting(TaskState.ended)
        #expect(waiting == [.received, .queued, .review, .blocked])
    }
}
