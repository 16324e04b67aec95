import Deployments
import Runtimes
import Specs

/// A lasting workspace that nobody's project leads to any more.
package struct OrphanedWorkspace: Hashable, Sendable {
    /// `w-<folder>-<8 hex>`.
    package var name: String
    /// Whose it is, in words; nil where nothing of it is left but its directory.
    package var owner: String?
    /// Whether its record is there: then it is the project that is gone.
    package var hasRecord: Bool
    /// What may hold work: homes and data of companions, by the names that the runtime has for them.
    package var volumes: [String]
    /// Whether a terminal is open in it.
    package var isInUse: Bool

    var projectName: String { String(name.dropFirst(LastingRecord.namePrefix.count)) }
}

extension LastingService {
    /// What is left of workspaces that their projects do not lead to.
    package struct Orphans: Sendable {
        package var found: [OrphanedWorkspace] = []
        /// Why the runtime does not say what it has.
        package var unanswered: (any Error)?
    }

    /// What ``cleanup(dryRun:deletesVolumes:)`` removes, or would.
    package struct Cleanup: Sendable {
        package var workspaces: [String] = []
        /// Volumes that stay, with all that is theirs: they may hold work.
        package var kept: [String] = []
        /// Workspaces that stay, for a terminal is open in them.
        package var inUse: [String] = []
        package var unanswered: (any Error)?
    }

    /// Looks for workspaces whose record is gone, by the labels of what runs or is kept and in the directories of this host, and for those whose
    /// project's directory is gone.
    package func orphans() async throws -> Orphans {
        var result = Orphans()
        do {
            // Asked after what is kept: a workspace has its record before it has anything else.
            let kept = try await kept()
            for name in try candidates(kept) {
                if let orphan = try await orphan(name, kept[name]) { result.found.append(orphan) }
            }
        } catch {
            try Task.checkCancellation()
            result.unanswered = error
        }
        return result
    }

    /// What the runtime has of workspaces of this user, by name.
    private func kept() async throws -> [String: KeptDeployment] {
        var spec = Spec()
        SessionRuntime().fill(&spec)
        let runtime = try deployments.runtime(for: spec, kubeconfig: nil, kindNeeds: .nothing)
        let all = try await runtime.kept(by: try keeper()).filter { LastingRecord.projectName(of: $0.id) != nil }
        return Dictionary(all.map { ($0.id, $0) }) { $1 }
    }

    private func candidates(_ kept: [String: KeptDeployment]) throws -> [String] {
        let here = try store.directories().map { LastingRecord.namePrefix + $0 }
        return Set(here + kept.keys).sorted()
    }

    /// Nil for a workspace that is as it should be, and for one that a command changes now.
    private func orphan(_ name: String, _ kept: KeptDeployment?) async throws -> OrphanedWorkspace? {
        guard let project = LastingRecord.projectName(of: name), !store.isLocked(project) else { return nil }
        var orphan = OrphanedWorkspace(
            name: name, owner: kept?.owner, hasRecord: false, volumes: kept?.volumes ?? [],
            isInUse: KernelLock.isHeld(store.terminalsFile(project)))
        if store.hasRecord(project) {
            guard let record = try? store.read(project), !Files.isDirectory(record.project) else { return nil }
            (orphan.owner, orphan.hasRecord) = ("the workspace of \(record.project)", true)
            orphan.volumes = try await deployment(record).volumes()
        } else if kept == nil {
            orphan.volumes = try await deployment(orphan).volumes()
        }
        orphan.volumes = orphan.volumes.filter(StackPart.mayHoldWork)
        return orphan
    }

    /// Ends what runs of a workspace whose record was lost, in networks that nobody knows any more; its volumes stay, for the one that begins.
    func stopLeft(named name: String) async throws {
        let left = OrphanedWorkspace(name: name, owner: nil, hasRecord: false, volumes: [], isInUse: false)
        var options = Self.removing
        options.deleteVolumes = false
        try await deployment(left).stop(options)
    }

    /// What is left of a workspace without a record, as its labels know it.
    private func deployment(_ orphan: OrphanedWorkspace) throws -> OpenDeployment {
        try deployments.read(
            DeploymentDefinition(
                leftOf: orphan.name, owner: orphan.owner ?? orphan.name,
                stateDirectory: store.directory(orphan.projectName) + "/deployment"))
    }

    /// Removes workspaces that no project leads to.
    ///
    /// - Parameter deletesVolumes: those too whose volumes may hold work; else they stay as they are.
    package func cleanup(dryRun: Bool, deletesVolumes: Bool = false) async throws -> Cleanup {
        if !dryRun {
            let sessions = SessionStore(state: store.state)
            try await AbandonedBuilds(store: sessions, deployments: deployments).remove()
        }
        let orphans = try await orphans()
        var result = Cleanup(unanswered: orphans.unanswered)
        for orphan in orphans.found {
            if orphan.isInUse {
                result.inUse.append(orphan.name)
            } else if !orphan.volumes.isEmpty, !deletesVolumes {
                result.kept += orphan.volumes
            } else {
                if !dryRun { try await remove(orphan) }
                result.workspaces.append(orphan.name)
            }
        }
        return result
    }

    /// Removes what is left of a workspace whose record is gone; returns whether anything was.
    func removeOrphan(named name: String) async throws -> Bool {
        let orphans = try await orphans()
        if let error = orphans.unanswered { throw error }
        guard let orphan = orphans.found.first(where: { $0.name == name }) else { return false }
        try await remove(orphan)
        return true
    }

    private func remove(_ orphan: OrphanedWorkspace) async throws {
        let lock = try await store.lock(orphan.projectName, verb: "cleanup")
        if let record = try store.read(orphan.projectName) {
            // Made again since it was found.
            if !Files.isDirectory(record.project) { try await remove(record) }
        } else {
            try await deployment(orphan).stop(Self.removing)
            try store.remove(orphan.projectName)
        }
        _ = consume lock
    }

    /// The label of all that runs for workspaces and sessions of this user.
    func keeper() throws -> String { try SessionStore(state: store.state).keeper() }
}
