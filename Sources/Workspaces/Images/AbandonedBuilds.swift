import Deployments
import Runtimes
import Specs

/// The egresses of builds whose `so` was killed: they hold nothing that anybody would miss.
struct AbandonedBuilds {
    let store: SessionStore
    let deployments: DeploymentService

    /// Removes them; what cannot be removed now stays for the next command.
    func remove() async throws {
        for id in try store.orphans() where Files.exists(Self.mark(id, store)) && !store.isLocked(id) {
            let lock = try await store.lock(id, verb: "build")
            if Files.exists(Self.mark(id, store)) { try await remove(id) }
            _ = consume lock
        }
    }

    private func remove(_ id: SessionID) async throws {
        let left = DeploymentDefinition(
            leftOf: "\(id)", owner: "a build", stateDirectory: store.directory(of: id) + "/deployment")
        try await deployments.read(left).stop(.withVolumes(graceSeconds: 0))
        try store.remove(id)
    }

    /// Tells a build from a session that has lost its record.
    static func mark(_ id: SessionID, _ store: SessionStore) -> String { store.directory(of: id) + "/build" }
}
