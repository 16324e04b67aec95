import Deployments
import Runtimes
import Specs

/// What is left of a session that no record owns: in a directory of this host, or where its pods were.
package struct OrphanedSession: Hashable, Sendable {
    package var id: SessionID
    package var runtime: SessionRuntime
    /// Whose it was, in words; nil where nothing of it is left but its directory.
    package var owner: String?
    /// What may hold work that nobody has collected, by the names that the runtime has for it.
    package var volumes: [String]
}

/// The sessions that no record owns, and the runtimes that did not say whether they have any.
package struct OrphanedSessions: Sendable {
    package var found: [OrphanedSession] = []
    package var unanswered: [(runtime: SessionRuntime, error: any Error)] = []
}

extension SessionService {
    /// Looks for what is left of sessions whose record is gone: in the directories of this host, and by the labels of what runs or is kept.
    ///
    /// - Parameter everywhere: also where sessions ran once of which this host has no record any more.
    package func orphans(everywhere: Bool) async throws -> OrphanedSessions {
        var result = OrphanedSessions()
        let keeper = try store.keeper()
        let (places, isPodmanUsed) = try places(everywhere)
        let answers = await withTaskGroup(of: (SessionRuntime, Result<[KeptDeployment], any Error>).self) { group in
            for place in places { group.addTask { (place, await kept(by: keeper, on: place)) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        try Task.checkCancellation()
        for (place, answer) in answers {
            switch answer {
            case .failure(let error):
                if isPodmanUsed || place.target != .podman { result.unanswered.append((place, error)) }
            case .success(let kept):
                // Asked after what is kept: a session has its record before it has anything else.
                for one in kept {
                    guard let id = SessionID(one.id), !store.hasRecord(id), !store.isLocked(id) else { continue }
                    result.found.append(
                        OrphanedSession(
                            id: id, runtime: place, owner: one.owner, volumes: one.volumes.filter(StackPart.mayHoldWork)
                        ))
                }
            }
        }
        for id in try store.orphans() where !store.isLocked(id) && !result.found.contains(where: { $0.id == id }) {
            result.found.append(
                OrphanedSession(
                    id: id, runtime: try store.runtime(ofOrphan: id), owner: nil,
                    volumes: try await volumes(ofOrphan: id).filter(StackPart.mayHoldWork)))
        }
        result.found.sort { $0.id < $1.id }
        return result
    }

    private func kept(by keeper: String, on place: SessionRuntime) async -> Result<[KeptDeployment], any Error> {
        do {
            var spec = spec
            place.fill(&spec)
            let runtime = try deployments.runtime(for: spec, kubeconfig: place.kubeconfig, kindNeeds: .nothing)
            return .success(try await runtime.kept(by: keeper))
        } catch {
            return .failure(error)
        }
    }

    /// Wherever this user's sessions may have left something, each place once, and whether podman is meant to be there.
    private func places(_ everywhere: Bool) throws -> ([SessionRuntime], isPodmanUsed: Bool) {
        var all = [try defaultRuntime()] + (try store.all().filter { $0.state != .closed }.map(\.place))
        for id in try store.orphans() { all.append(try store.runtime(ofOrphan: id)) }
        if everywhere { all += try store.clusters() }
        let isPodmanUsed = all.contains { $0.target == .podman }
        var seen: Set<[String?]> = []
        return ((all + [SessionRuntime()]).filter { seen.insert([$0.name, $0.kubeconfig]).inserted }, isPodmanUsed)
    }
}
