import FoundationEssentials

/// Everything that one replica does, until it is cancelled.
package struct OrchestratorService: Sendable {
    private let parts: ServerParts
    private let owner: String

    /// - Parameter owner: unique among the replicas.
    package init(_ parts: ServerParts, owner: String) {
        self.parts = parts
        self.owner = owner
    }

    /// - Parameter started: is told the port when the server listens.
    package func run(started: @escaping @Sendable (Int) async -> Void) async throws {
        let (configuration, store, log) = (parts.configuration, parts.store, parts.log)
        let rules: @Sendable (RepositoryReference) -> IntakeRules? = { configuration.rules($0) }
        let page: @Sendable (IssueTask) -> String? = { configuration.page($0) }
        let reporter = ForgeReporter(
            forge: parts.forge, store: store, policy: { configuration.policy($0) }, page: page)
        let resolver = DeliveryResolver(forge: parts.forge, store: store, rules: rules, page: page)
        let server = try OrchestratorServer(parts)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run(started: started) }
            group.addTask { try await DeliveryWorker(store: store, resolver: resolver, log: log).run() }
            group.addTask { try await closing(reporter).run() }
            group.addTask { try await dispatcher(reporter).run() }
            group.addTask { try await reconciler(resolver, rules).run() }
            group.addTask { try await recycling.run() }
            group.addTask { try await diskAccounts.run() }
            group.addTask { try await Retention(store: store, log: log).run() }
            group.addTask { try await keepCredentials() }
            group.addTask { try await Self.keepSmall() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Some backends have nothing to keep alive; then it only waits.
    private func keepCredentials() async throws {
        while true {
            do {
                try await parts.credentials.maintain()
            } catch  where !(error is CancellationError) {
                parts.log("the credentials' backend cannot be kept alive: \(error)")
            }
            try await Task.sleep(for: .seconds(60))
        }
    }

    /// The first time when the start is over.
    private static func keepSmall() async throws {
        try await Task.sleep(for: .seconds(5))
        while true {
            CodePages.giveBack()
            try await Task.sleep(for: .seconds(300))
        }
    }

    private func closing(_ reporter: ForgeReporter) -> Closing {
        let reasons = WaitReasons(store: parts.store, configuration: parts.configuration, host: parts.host)
        return Closing(
            store: parts.store, reporter: reporter, reason: { try await reasons.reason($0) }, log: parts.log)
    }

    private func dispatcher(_ reporter: ForgeReporter) -> Dispatcher {
        let (configuration, store) = (parts.configuration, parts.store)
        let host = parts.host
        var settings = DispatchSettings(owner: owner, host: parts.host) {
            let spent = try await Budgets(store: store, configuration: configuration).spent()
            let full = try await DiskAccounts.full(store, configuration, host: host)
            return configuration.limits(paused: spent.union(full))
        }
        settings.retries = RetryPolicy(attempts: configuration.attempts)
        settings.capacity = configuration.runtime == "none" ? 0 : configuration.maxParallel
        settings.budget = { try await Budgets(store: store, configuration: configuration).grant(to: $0) }
        settings.log = parts.log
        return Dispatcher(store: store, runner: parts.runner, reporter: reporter, settings: settings)
    }

    private func reconciler(
        _ resolver: DeliveryResolver, _ rules: @escaping @Sendable (RepositoryReference) -> IntakeRules?
    ) -> Reconciler {
        Reconciler(
            store: parts.store, forge: parts.forge, resolver: resolver,
            projects: parts.configuration.projects.map(\.repository), rules: rules,
            budgets: Budgets(store: parts.store, configuration: parts.configuration), log: parts.log)
    }

    private var diskAccounts: DiskAccounts {
        DiskAccounts(
            store: parts.store, runner: parts.runner, configuration: parts.configuration, host: parts.host,
            log: parts.log)
    }

    private var recycling: Recycling {
        Recycling(
            store: parts.store, runner: parts.runner, host: parts.host,
            idleTimeout: Double(parts.configuration.idleTimeout),
            keepSessions: Double(parts.configuration.keepSessions),
            log: parts.log)
    }
}
