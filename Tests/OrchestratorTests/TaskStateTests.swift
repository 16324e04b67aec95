import Orchestrator
import Testing

@Suite struct TaskStateTests {
    @Test
    func
        `a state is not both active and ended, and only review, done and what a person has to look at need no replica`()
    {
        #expect(TaskState.active.isDisjoint(with: TaskState.ended))
        let waiting = Set(TaskState.allCases).subtracting(TaskState.active).subtracting(TaskState.ended)
        #expect(waiting == [.received, .queued, .review, .blocked])
    }
}
