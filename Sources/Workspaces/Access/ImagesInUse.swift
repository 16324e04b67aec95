import Runtimes

extension WorkspaceContext {
    /// The images that sessions and lasting workspaces name, and that of the next one's egress: `prune` keeps them.
    package func imagesInUse() throws -> WorkspaceImages.InUse {
        let state = hostStateDirectory(environment)
        let sessions = try SessionStore(state: state).all().filter { $0.state != .closed || !($0.left ?? []).isEmpty }
        let lasting = try LastingStore(state: state).all()
        let named = sessions.map { ($0.image, $0.companionImages) } + lasting.map { ($0.image, $0.companionImages) }
        let egress = executable.flatMap { try? egressRecipe(beside: $0).tag }
        let kept: [String] = named.flatMap { [$0.0].compactMap(\.self) + ($0.1 ?? []) }
        return WorkspaceImages.InUse(
            tags: Set(kept + [egress].compactMap(\.self)),
            isComplete: named.allSatisfy { $0.0 == nil || $0.1 != nil })
    }
}
