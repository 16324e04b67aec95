import AgentLoop
import FoundationEssentials
import Orchestrator
import OrderedCollections
import Synchronization
import SystemCrypto
import TestSupport
import Testing
import YAML

/// A forge, a store and what is between them; agents are scripts in the real loop.
final class Stage: Sendable {
    let forge: TestForge
    let client: any Forge
    let repository: RepositoryReference
    let store: SQLStore
    private let resolver: DeliveryResolver
    let reporter: ForgeReporter
    private let rules: IntakeRules
    private let state = Mutex(State())

    private struct State {
        /// What was sent and is not delivered; nil where everything is at once.
        var held: [WebhookRequest]?
        var clone: GitRepository?
        var work: CollectedWork?
    }

    init(_ forge: TestForge, _ repository: RepositoryReference, _ store: SQLStore) {
        self.forge = forge
        self.repository = repository
        self.store = store
        let client = forge.client()
        let rules = IntakeRules(agents: ["default", "codex"])
        self.client = client
        self.rules = rules
        resolver = DeliveryResolver(forge: client, store: store, rules: { _ in rules })
        reporter = ForgeReporter(forge: client, store: store, interval: .zero)
    }

    var lastWork: CollectedWork? { state.withLock { $0.work } }

    func task(_ number: Int = 7) async throws -> IssueTask {
        try #require(try await store.task(of: .issue(IssueReference(repository, number: number)), forge: forge.kind))
    }

    // MARK: What the forge tells

    /// What is sent meanwhile; none of it is delivered.
    func held(_ body: () async throws -> Void) async throws -> [WebhookRequest] {
        state.withLock { $0.held = [] }
        try await body()
        return state.withLock { state in
            defer { state.held = nil }
            return state.held ?? []
        }
    }

    private func arrive(_ request: WebhookRequest) async throws {
        let isHeld = state.withLock { state in
            state.held?.append(request)
            return state.held != nil
        }
        if !isHeld { try await take(request) }
    }

    /// Records what was sent, and has everything handled that waits.
    func take(_ request: WebhookRequest) async throws {
        guard try await store.record(try client.verify(request)) else { return }
        for delivery in try await store.pendingDeliveries(limit: 10) {
            let resolution = try await resolver.resolve(delivery)
            #expect(resolution.outcome != .failed, "\(resolution.reason ?? "")")
            try await store.settle(
                delivery, as: resolution.outcome, reason: resolution.reason, effects: resolution.effects)
        }
    }

    /// What somebody does who has seen a delivery, and the forge's "redeliver": its body and signature, under the same id or another.
    func replay(_ id: String, as other: String) async throws {
        let known = try #require(try await store.deliveries(limit: 100).first { $0.id == id })
        try await take(
            WebhookRequest(
                headers: [
                    "x-github-event": known.event, "x-github-delivery": other,
                    "x-hub-signature-256": "sha256=" + hmacSHA256Hex(key: TestForge.secret, message: known.body),
                ], body: known.body))
    }

    private var webhooks: TestWebhooks { TestWebhooks(forge: forge, repository: repository, send: arrive) }

    func label(by login: String, issue number: Int = 7, id: String? = nil) async throws {
        try await webhooks.label(number, by: login, id: id)
    }

    func unlabel(by login: String) async throws { try await webhooks.label(7, by: login, isSet: false) }

    func close(by login: String, issue number: Int = 7) async throws { try await webhooks.close(number, by: login) }

    func remove(_ action: String, by login: String) async throws { try await webhooks.remove(7, action, by: login) }

    func comment(_ text: String, by login: String, id: String? = nil) async throws {
        try await webhooks.comment(text, on: 7, by: login, id: id)
    }

    func commentOnPull(_ text: String, by login: String) async throws {
        try await webhooks.commentOnPull(text, by: login)
    }

    func review(_ id: Int64, _ verdict: String, by login: String) async throws {
        try await webhooks.review(id, verdict, by: login)
    }

    func merge(by login: String) async throws { try await webhooks.merge(by: login) }

    func checks(_ commit: String, _ conclusion: String) async throws {
        try await webhooks.checks(commit, conclusion, on: try await task().details.branch)
    }

    func reconcile() async throws {
        let tasks = try await store.tasks(TaskQuery())
        let intents = try await Reconciliation(client, Intake(rules)).intents(in: repository, tasks: tasks)
        for effect in try await resolver.effects(of: intents, rules, act: "reconciliation") {
            try await store.apply(effect)
        }
    }

    // MARK: The worker

    /// Takes the task that waits, has the loop work on it with a script for a CLI, and publishes.
    func work(_ script: String) async throws -> IssueTask {
        var task = try #require(try await store.claim(.by("a")).first)
        let clone = try await checkout()
        let base = try await GitRepository.git(in: clone.directory, ["rev-parse", "origin/main"])
        task = try await advance(task, .working)
        try await reporter.progress(task)
        let report = try await run(script, task, clone)
        let summary = try #require(report)
        task = try await advance(task, .reporting)
        try await reporter.progress(task)
        let work = CollectedWork(
            gitDirectory: clone.directory + "/.git", host: hostEnvironment, commit: try await clone.head(), base: base)
        state.withLock { $0.work = work }
        (task.details.summary, task.details.tests) = (summary.summary, summary.tests ?? [])
        let pull = try await reporter.publish(task, work)
        task = try await store.advance(
            task, to: .review, until: nil, notBefore: nil,
            with: TaskStep([
                Activity(task: task.id, kind: .transition, actor: "a", message: "published", state: .review)
            ])
        ) { details in
            details.pullRequest = pull
            details.branch = pull.branch ?? details.branch
            details.instructions = []
        }
        try await reporter.close(task)
        return task
    }

    private func advance(_ task: IssueTask, _ next: TaskState) async throws -> IssueTask {
        try await store.step(task, next)
    }

    /// As it is when nothing came of a repair.
    func put(_ next: TaskState) async throws {
        guard let task = try await store.claim(.by("a")).first else { return }
        _ = try await store.advance(
            task, to: next, until: nil, notBefore: nil,
            with: TaskStep([Activity(task: task.id, kind: .transition, actor: "a", message: "nothing", state: next)])
        ) { $0.instructions = [] }
    }

    private func checkout() async throws -> GitRepository {
        if let known = state.withLock({ $0.clone }) { return known }
        let made = try await forge.clone(repository)
        try write(".so/\n", to: made.directory + "/.git/info/exclude")
        state.withLock { $0.clone = made }
        return made
    }

    private func run(_ script: String, _ task: IssueTask, _ clone: GitRepository) async throws -> Reporting.TaskReport?
    {
        let keep = "printf '%s' \"$1\" >\(forge.root)/prompt; \(script)"
        let configuration = LoopConfiguration(
            agentType: task.agent, agentID: "s-1", directory: clone.directory,
            headless: ["sh", "-c", keep, "cli", "${PROMPT}"], output: .text, session: "x")
        let text = try task.tasking()
        let item = try #require(try Tasking(Array(text.utf8), file: "tasking.yaml").tasks.first)
        var loop = AgentLoop(configuration, environment: hostEnvironment) { _ in }
        try loop.assign(text)
        #expect(try await loop.run())
        let bytes = try AtomicFile.read("\(clone.directory)/\(Reporting.defaultPath)", limit: 1 << 20)
        return try Reporting.validated(try #require(bytes), file: Reporting.defaultPath).tasks[item.id]
    }
}
