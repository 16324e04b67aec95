/// Accounts what each project takes of this host's disk. Of one that is over its limit the sessions of ended tasks are taken down, and new tasks wait
/// while that does not suffice.
package struct DiskAccounts: Sendable {
    private let store: SQLStore
    private let runner: any AgentRunner
    private let configuration: Configuration
    private let host: String
    private let log: @Sendable (String) -> Void

    package init(
        store: SQLStore, runner: any AgentRunner, configuration: Configuration, host: String,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.runner = runner
        self.configuration = configuration
        self.host = host
        self.log = log
    }

    package func run() async throws {
        while true {
            await account()
            try await Task.sleep(for: .seconds(600))
        }
    }

    /// The repositories that are over their limit on this host.
    package static func full(_ store: SQLStore, _ configuration: Configuration, host: String) async throws
        -> Set<String>
    {
        let limits = configuration.projects.compactMap { project in project.diskLimit.map { (project.repository, $0) } }
        guard !limits.isEmpty else { return [] }
        let used = try await store.diskUse(on: host)
        return Set(limits.filter { used.bytes(of: $0.0) > $0.1 }.map(\.0))
    }

    /// One round: a project that cannot be looked at does not keep the others from it.
    package func account() async {
        do {
            for repository in try await store.projects() {
                guard let project = configuration.project(repository.name) else { continue }
                do {
                    try await account(repository, limit: project.diskLimit)
                } catch  where !(error is CancellationError) {
                    log("the disk usage of \(repository.name) is unknown: \(error)")
                }
            }
        } catch {
            log("disks cannot be accounted: \(error)")
        }
    }

    private func account(_ repository: RepositoryReference, limit: Int64?) async throws {
        var tasks = try await store.tasks(TaskQuery(repository: repository.name, limit: 10_000)).filter {
            $0.details.session != nil && $0.details.host == host
        }
        var bytes = try await runner.diskUse(of: repository, tasks: tasks)
        // The oldest first.
        for task in tasks.reversed() where task.state.isEnded {
            guard let limit, bytes > limit, let session = task.details.session else { break }
            try await runner.remove(task)
            try await store.forget(session: session)
            _ = try await store.amend(task.id) { $0.session = nil }
            tasks.removeAll { $0.id == task.id }
            bytes = try await runner.diskUse(of: repository, tasks: tasks)
        }
        try await store.set(diskUse: bytes, of: repository.name, on: host)
        if let limit, bytes > limit {
            try await store.append(
                Activity(
                    kind: .warning, actor: "so",
                    message: "\(repository.name) takes \(bytes >> 20) of \(limit >> 20) MiB on \(host): its tasks wait")
            )
        }
    }
}
