import FoundationEssentials
import Glibc
import Orchestrator
import TestSupport
import Testing

/// Replicas that are killed while they prepare, run and bring work to the forge: the dispatcher, the reporter and git are the real ones, the agent is a
/// script. `SO_KILL_ROUNDS` makes more rounds, `SO_SEED` repeats a run.
@Suite struct KilledPublishTests {
    @Test(arguments: StoreKind.allCases) func `opens no pull request twice, and makes no branch or comment twice`(
        kind: StoreKind
    ) async throws {
        switch kind {
        case .sqlite:
            try await withTemporaryDirectory { try await rounds("sqlite:\($0)/orchestrator.db") }
        case .postgresql: try await withPostgres { try await rounds($0.address) }
        }
    }

    private func rounds(_ address: String) async throws {
        try await withForge { forge in
            let repository = try await forge.repository()
            let store = try await KilledReplica.open(address)
            for number in 1...6 {
                await forge.state.change(repository.name) {
                    $0.issues[number] = .init(number: number, title: "Issue \(number)", body: "", author: "ada")
                }
                let (task, _) = try await store.create(newTask(number, in: repository), by: "ada")
                let clone = try await forge.clone(repository)
                try await clone.commit(["\(number)": "the work of \(number)\n"])
                try FileManager.default.moveItem(atPath: clone.directory, toPath: "\(forge.root)/task-\(task.id)")
            }
            let base = try await forge.branch("main", of: repository)
            let (root, api) = (forge.root, forge.api)
            var random = SeededGenerator.ofTest()
            for round in 0..<killRounds(12) {
                try await more(round, UInt64.random(in: 1...6, using: &random), forge, store)
                let patience = UInt64.random(in: 20...700, using: &random)
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [
                        address = address as String, api = api as String, root = root as String, base = base as String,
                        patience = patience as UInt64
                    ] in
                    try await KilledReplica(address: address, api: api, root: root, base: base).run(
                        killedAfter: .milliseconds(patience))
                }
            }
            try await KilledReplica(address: address, api: api, root: root, base: base).settle { task in
                let mark = "task-\(task.id)/closing-\(task.details.rounds)-\(task.state.rawValue)"
                return await forge.state.comments(repository.name).contains { $0.body.contains(mark) }
            }
            try await check(forge, repository, store)
        }
    }

    /// Somebody asks for more, also while nobody holds the task, and its agent has done it when it is asked.
    private func more(_ round: Int, _ task: UInt64, _ forge: TestForge, _ store: SQLStore) async throws {
        let clone = GitRepository(at: "\(forge.root)/task-\(task)")
        try await clone.commit(["round-\(round)": "more\n"])
        try await store.apply(TaskEffect(.instruct(Int64(task), "round \(round)"), by: "ada"))
    }

    private func check(_ forge: TestForge, _ repository: RepositoryReference, _ store: SQLStore) async throws {
        let pulls = await forge.state.pulls(repository.name)
        #expect(pulls.map(\.head).sorted() == (1...6).map { "so/\(repository.id)-\($0)" })
        let comments = await forge.state.comments(repository.name)
        let marks = comments.map { "\($0.issue) \($0.body.suffix(60).split(separator: "<!--").last ?? "")" }
        #expect(Set(marks).count == marks.count, "\(marks)")
        for task in try await store.tasks(TaskQuery()) {
            #expect(task.state == .review, "\(task.details.failure?.message ?? "")")
            #expect(task.details.pullRequest?.number == pulls.first { $0.head == task.details.branch }?.number)
            let head = try await forge.branch(task.details.branch, of: repository)
            #expect(head == task.details.pullRequest?.head)
            let local = GitRepository(at: "\(forge.root)/task-\(task.id)")
            #expect(try await local.head() == head)
        }
    }
}

/// One replica in a process of its own.
struct KilledReplica: Sendable {
    let address: String
    let api: String
    let root: String
    let base: String

    static func open(_ address: String) async throws -> SQLStore {
        address.hasPrefix("sqlite:")
            ? try await .sqlite(path: String(address.dropFirst("sqlite:".count)))
            : try await .postgresql(address: address)
    }

    func run(killedAfter patience: Duration) async throws {
        let service = Task { try await serve() }
        try await Task.sleep(for: patience)
        kill(getpid(), SIGKILL)
        try await service.value
    }

    /// Until everything is in review and told, or has come to another end.
    func settle(_ isTold: @escaping @Sendable (IssueTask) async -> Bool) async throws {
        let store = try await Self.open(address)
        try await beside {
            try await serve()
        } _: {
            try await eventually("all have come to their end, and that is told") {
                for task in try await store.tasks(TaskQuery()) {
                    guard task.state.isEnded || task.state == .review, await isTold(task) else { return false }
                }
                return true
            }
        }
    }

    private func serve() async throws {
        let store = try await Self.open(address)
        let forge = GitHub(
            api: api, secret: TestForge.secret, authentication: .token(TestForge.token), writeInterval: .zero)
        // Longer than a request of this host takes, as it has to be.
        let reporter = ForgeReporter(forge: forge, store: store, interval: .zero, patience: 2)
        var settings = DispatchSettings(owner: "r\(getpid())", host: "host-a") { TaskLimits(total: 3) }
        settings.leaseSeconds = 0.6
        settings.retries = RetryPolicy(attempts: 1000)
        settings.retries.firstDelay = 0.01
        settings.retries.delays = 1000
        settings.capacity = 3
        let dispatcher = Dispatcher(
            store: store, runner: ClonesRunner(root: root, base: base), reporter: reporter, settings: settings)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await dispatcher.run() }
            group.addTask { try await Closing(store: store, reporter: reporter) { _ in }.run() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}

/// Its agents have done their work already: each has a clone with a commit of its own.
private struct ClonesRunner: AgentRunner {
    let root: String
    let base: String

    func prepare(_ task: IssueTask, budget: Double?) async throws -> PreparedSession {
        try await Task.sleep(for: .milliseconds(20))
        return PreparedSession(name: "s-\(task.id)")
    }

    func run(_ task: IssueTask, _ events: @escaping @Sendable (AgentRunEvent) -> Void) async throws -> AgentOutcome {
        events(.step("works"))
        try await Task.sleep(for: .milliseconds(20))
        return AgentOutcome(summary: "did \(task.issue.number)")
    }

    func collect(_ task: IssueTask) async throws -> CollectedWork? {
        let directory = "\(root)/task-\(task.id)"
        return CollectedWork(
            gitDirectory: directory + "/.git", host: hostEnvironment,
            commit: try await GitRepository.git(in: directory, ["rev-parse", "HEAD"]), base: base)
    }

    func stop(_ task: IssueTask) {}
    func remove(_ task: IssueTask) {}
    func diff(_ task: IssueTask) -> String { "" }
    func sessions(besides known: Set<String>) -> [String: Int64] { [:] }
    func diskUse(of repository: RepositoryReference, tasks: [IssueTask]) -> Int64 { 0 }
}
