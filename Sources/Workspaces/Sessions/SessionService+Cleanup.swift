import Deployments
import FoundationEssentials
import Runtimes

extension SessionService {
    /// What ``cleanup(dryRun:deletesUncollected:events:failed:)`` removes, or would.
    package struct Cleanup: Sendable {
        package var sessions: [String] = []
        package var forgotten: [String] = []
        /// Volumes that stay, for nobody knows whether the work in them was collected.
        package var kept: [String] = []
        /// Where nobody could look, and why.
        package var unanswered: [(runtime: SessionRuntime, error: any Error)] = []
    }

    /// Removes what no record owns, what discarded sessions left 30 days ago, and records of sessions that are over.
    ///
    /// - Parameter deletesUncollected: volumes go too whose work was not collected, or of which that is not known.
    package func cleanup(
        dryRun: Bool, deletesUncollected: Bool = false, events: @escaping SessionEvents = { _ in },
        failed: (SessionRecord, any Error) -> Void = { _, _ in }
    ) async throws -> Cleanup {
        var result = Cleanup()
        if !dryRun { result.sessions += try await takeUp(events: events, failed: failed).map(\.id.description) }
        let orphans = try await orphans(everywhere: true)
        result.unanswered = orphans.unanswered
        for orphan in orphans.found {
            guard orphan.volumes.isEmpty || deletesUncollected else {
                result.kept += orphan.volumes
                continue
            }
            result.sessions.append("\(orphan.id)")
            if !dryRun { try await remove(orphan) }
        }
        let limit = Date().addingTimeInterval(-30 * 24 * 3600)
        for record in try store.all() where record.state == .closed {
            let left = try await left(record)
            if !left.isEmpty, deletesUncollected {
                result.sessions.append("\(record.id)")
                if !dryRun { try await removeLeft(record) }
            } else if !left.isEmpty {
                result.kept += left
            } else if record.closedAt ?? limit < limit {
                result.forgotten.append("\(record.id)")
                if !dryRun { try await forget(record) }
            }
        }
        return result
    }

    private func forget(_ record: SessionRecord) async throws {
        if record.onExit == .discard { try await CollectedStore(stores(record)).forget(record.id) }
        try store.remove(record.id)
    }

    private func left(_ record: SessionRecord) async throws -> [String] {
        guard let left = record.left, !left.isEmpty else { return [] }
        return try await deployment(record).volumes()
    }

    private func removeLeft(_ record: SessionRecord) async throws {
        let lock = try await store.lock(record.id, verb: "cleanup")
        var record = try store.read(record.id)
        try await deployment(record).stop(removing(record.place))
        record.left = nil
        try store.write(record)
        try Files.remove(store.directory(of: record.id))
        _ = consume lock
    }

    func volumes(ofOrphan id: SessionID) async throws -> [String] {
        try await orphan(id, on: store.runtime(ofOrphan: id)).volumes()
    }

    private func remove(_ orphan: OrphanedSession) async throws {
        let lock = try await store.lock(orphan.id, verb: "cleanup")
        // A session of the same id cannot have been made meanwhile; one that was being taken down may be gone.
        if !store.hasRecord(orphan.id) {
            try await self.orphan(orphan.id, on: orphan.runtime).stop(removing(orphan.runtime))
            try store.remove(orphan.id)
        }
        _ = consume lock
    }

    func removing(_ runtime: SessionRuntime) -> StopOptions {
        var options = StopOptions.withVolumes(graceSeconds: 0)
        options.deleteNamespace = runtime.hasNamespaces
        return options
    }

    /// What is left of a session without a record, as its labels know it.
    private func orphan(_ id: SessionID, on runtime: SessionRuntime) throws -> OpenDeployment {
        try store.makeDirectory(of: id, on: runtime)
        var spec = spec
        runtime.fill(&spec)
        var definition = DeploymentDefinition(
            leftOf: "\(id)", owner: "session \(id)", spec: spec, stateDirectory: store.directory(of: id) + "/deployment"
        )
        definition.kubeconfig = runtime.kubeconfig
        return try deployments.read(definition)
    }
}
