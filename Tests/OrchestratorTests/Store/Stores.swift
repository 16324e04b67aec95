import FoundationEssentials
import Orchestrator
import TestSupport
import Testing

/// The engines that every test of the store runs on.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case sqlite, postgresql

    var testDescription: String { rawValue }
}

/// Runs the body with a function that opens the same new store: twice for two replicas.
func withStore<Result: Sendable>(
    _ kind: StoreKind, _ body: (_ open: @Sendable () async throws -> SQLStore) async throws -> Result
) async throws -> Result {
    switch kind {
    case .sqlite:
        try await withTemporaryDirectory { directory in
            try await body { try await SQLStore.sqlite(path: "\(directory)/orchestrator.db") }
        }
    case .postgresql:
        try await withPostgres { server in
            try await body { try await SQLStore.postgresql(address: server.address) }
        }
    }
}

let shop = RepositoryReference(id: 71, name: "acme/shop")

func newTask(_ number: Int, in repository: RepositoryReference = shop, priority: Int = 0, agent: String = "default")
    -> NewTask
{
    let details = TaskDetails(
        title: "Issue \(number)", body: "Do it.", requestedBy: "ada", branch: "so/\(repository.id)-\(number)")
    return NewTask(
        forge: .github, issue: IssueReference(repository, number: number), agent: agent, priority: priority,
        details: details)
}

extension TaskClaim {
    static func by(
        _ owner: String, count: Int = 1, for seconds: Double = 60, now: Date = Date(),
        limits: TaskLimits = TaskLimits(total: 1000), inHand: Set<Int64> = []
    ) -> TaskClaim {
        TaskClaim(
            owner: owner, host: "host-a", count: count, until: now.addingTimeInterval(seconds), now: now,
            limits: limits,
            inHand: inHand)
    }
}

extension SQLStore {
    /// Moves a task on as its holder would.
    func step(_ task: IssueTask, _ state: TaskState, keeping: Bool = true) async throws -> IssueTask {
        try await advance(
            task, to: state, until: keeping ? Date().addingTimeInterval(60) : nil, notBefore: nil,
            with: TaskStep([Activity(task: task.id, kind: .transition, actor: "test", message: "on", state: state)])
        ) { _ in }
    }
}
