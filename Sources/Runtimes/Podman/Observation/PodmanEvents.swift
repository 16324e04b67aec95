import ExternalTools
import FoundationEssentials

/// What podman tells of containers that start, end and are removed: one podman listens for all deployments of a process.
///
/// Who follows takes a place in the queue of listeners: the first one runs podman, and the next one goes on when it leaves. So nothing runs
/// that nobody waits for.
package actor PodmanEvents {
    private struct Follower {
        let kinds: Set<String>
        let deployment: String
        var seen: Set<String> = []
        let events: AsyncStream<PodmanEvent>.Continuation

        /// A podman that takes over from another one tells again what happened in the same second.
        mutating func take(_ event: PodmanEvent) {
            guard kinds.contains(event.Status), event.Attributes?[PodmanNames.deployment] == deployment,
                seen.insert("\(event.Status) \(event.ID ?? event.Name) \(event.Time ?? "")").inserted
            else { return }
            events.yield(event)
        }
    }

    private static let kinds = ["start", "died", "remove"]
    /// So many events are kept for who comes later.
    private let limit: Int
    private let period: Int
    private let listener = Gate(places: 1)
    private var followers: [Int: Follower] = [:]
    private var nextID = 0
    /// What was heard, with the second in which it was; complete from ``begin`` on.
    private var heard: [(second: Int, event: PodmanEvent)] = []
    private var begin: Int?
    /// Up to when nothing can have been missed.
    private var position: Int?
    /// How often podman was started to listen.
    private(set) var listeners = 0

    /// - Parameters:
    ///   - limit: so many events are kept for who comes later.
    ///   - period: how long one podman listens, in seconds.
    package init(limit: Int = 4096, period: Int = 30) {
        (self.limit, self.period) = (limit, period)
    }

    /// Hands out a deployment's events since a second of the epoch until the task is cancelled, or podman keeps none.
    ///
    /// - Parameter kinds: of `start`, `died` and `remove`.
    nonisolated func follow(
        _ podman: Podman, _ kinds: Set<String>, deployment: String, since: Int,
        _ body: @escaping @Sendable (PodmanEvent) async -> Void
    ) async {
        let (id, events, missed) = await enter(kinds, deployment, since)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                if let missed { await self.fetch(podman, id, since: since, until: missed) }
                await self.listener.pass { await self.listen(podman) }
            }
            for await event in events { await body(event) }
            group.cancelAll()
        }
        await leave(id)
    }

    // MARK: Followers

    /// - Returns: also up to when events are missing, where this one asks for more than was heard.
    private func enter(
        _ kinds: Set<String>, _ deployment: String, _ since: Int
    ) -> (id: Int, events: AsyncStream<PodmanEvent>, missed: Int?) {
        let (stream, events) = AsyncStream.makeStream(of: PodmanEvent.self)
        var follower = Follower(kinds: kinds, deployment: deployment, events: events)
        var missed: Int?
        if let begin {
            missed = since < begin ? begin : nil
            for item in heard where item.second >= since { follower.take(item.event) }
        } else {
            (begin, position) = (since, since)
        }
        nextID += 1
        followers[nextID] = follower
        return (nextID, stream, missed)
    }

    private func leave(_ id: Int) {
        followers[id] = nil
        guard followers.isEmpty else { return }
        (heard, begin, position) = ([], nil, nil)
    }

    private func take(_ event: PodmanEvent) {
        heard.append((Self.now, event))
        if let second = event.second { position = max(position ?? second, second) }
        if heard.count > limit {
            begin = heard.removeFirst().second + 1
        }
        for id in followers.keys { followers[id]?.take(event) }
    }

    private func take(_ event: PodmanEvent, for id: Int) { followers[id]?.take(event) }

    /// Podman keeps no events: nobody is to wait for one.
    private func finish() {
        for follower in followers.values { follower.events.finish() }
    }

    // MARK: Podman

    private static var now: Int { Int(Date().timeIntervalSince1970) }

    /// Listens until the task is cancelled. One podman does for half a minute, then the next, from the last event on: none outlives a `so`
    /// that was killed for long, and one whose file of events was started over while it read the old one hears nothing any more, and does not say so.
    private func listen(_ podman: Podman) async {
        var fruitless = 0
        while !Task.isCancelled, let since = position {
            let (begun, until) = (Self.now, Self.now + period)
            listeners += 1
            let status = await run(podman, since: since, until: until) { await self.take($0) }
            // Who was interrupted has read up to the last event and no further, however late that came to it.
            if Task.isCancelled { return }
            if status == 0, Self.now >= until - 1 {
                fruitless = 0
                continue
            }
            // Podman ends, or fails, where its file of events is started over (`events_logfile_max_size`): the next one reads on from the
            // last event. One that ends at once, again and again, with nothing new keeps no events, or its clock is not ours.
            fruitless = position != since || Self.now > begun + 1 ? 0 : fruitless + 1
            if fruitless == 5 { return finish() }
        }
    }

    /// What happened before anybody listened.
    private nonisolated func fetch(_ podman: Podman, _ id: Int, since: Int, until: Int) async {
        _ = await run(podman, since: since, until: until) { await self.take($0, for: id) }
    }

    /// - Returns: the exit code; nil where podman did not run to its end.
    private nonisolated func run(
        _ podman: Podman, since: Int, until: Int, _ body: @escaping @Sendable (PodmanEvent) async -> Void
    ) async -> Int? {
        let command = podman.command(PodmanArguments.events(Self.kinds, since: since, until: until))
        return try? await command.lines { (stream, line) throws(CommandFailure) in
            if stream == .standardOutput, let event = PodmanEvent(line: line) { await body(event) }
        }
    }
}

extension PodmanEvent {
    /// When it happened, in seconds of the epoch.
    var second: Int? {
        guard let time = Time else { return nil }
        let zone = time.dropFirst(19).drop { $0 == "." || $0.isNumber }
        let date = try? Date("\(time.prefix(19))\(zone)", strategy: .iso8601)
        return date.map { Int($0.timeIntervalSince1970) }
    }
}
