/// What is done at a forge, at most once over all replicas.
struct OutgoingActs: Sendable {
    let store: any TaskStore
    /// Seconds; longer than a request may take, so that none of another replica's is under way any more.
    var patience = 90.0

    /// Does something at the forge at most once over all replicas. What another one has in hand is waited for; what one was killed over is looked
    /// up, and repeated only when no request of its can be under way any more.
    func once(
        _ key: String, task: Int64, find: @Sendable () async throws -> Int64?,
        act: @Sendable () async throws -> Int64
    ) async throws -> (id: Int64, isNew: Bool) {
        while true {
            let begun = try await store.begin(act: key, task: task, patience: patience)
            if let id = begun.result.flatMap({ Int64($0) }) { return (id, false) }
            if let found = try await find() {
                try await store.finish(act: key, result: "\(found)")
                return (found, false)
            }
            if begun.isHeld { return (try await perform(key, act), true) }
            try await Task.sleep(for: .seconds(1))
        }
    }

    private func perform(_ key: String, _ act: () async throws -> Int64) async throws -> Int64 {
        let made: Int64
        do {
            made = try await act()
        } catch let error as OrchestratorError where error.code != .unavailable {
            // The forge has answered: it was not done.
            try await store.release(act: key)
            throw error
        }
        try await store.finish(act: key, result: "\(made)")
        return made
    }
}
