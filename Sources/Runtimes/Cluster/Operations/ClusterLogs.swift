import FoundationEssentials
import KubernetesClient
import Rendering
import Synchronization
import YAML

extension ClusterRuntime {
    package func logs(
        _ deployment: DeploymentModel, _ request: LogRequest, line: @escaping @Sendable (LogLine) async -> Void
    ) async throws(DeploymentError) {
        var workloads: Set<String> = []
        for service in request.services { workloads.insert(try deployment.workload(named: service).name) }
        let wanted = workloads.isEmpty ? Set(deployment.rendered.workloads.map(\.name)) : workloads
        try await withSession(deployment) { session async throws(DeploymentError) in
            let operation = ClusterLogOperation(session: session, workloads: wanted, request: request, line: line)
            request.follow ? try await operation.follow() : try await operation.printAll()
        }
    }
}

/// Reads the logs of several containers as one.
struct ClusterLogOperation: Sendable {
    let session: ClusterSession
    let workloads: Set<String>
    let request: LogRequest
    let line: @Sendable (LogLine) async -> Void

    private var selection: Selection {
        Selection(namespace: session.namespace, labels: "\(Keys.instance)=\(session.model.id)")
    }

    // MARK: What there is

    /// Every line in the order of time.
    func printAll() async throws(DeploymentError) {
        var sources = LogSources(workloads: workloads)
        let logs = try await session.each(sources.update(try await list().items)) {
            source async throws(DeploymentError) -> [LogLine] in
            let lines = Collected()
            try await read(source, follow: false) { lines.add($0) }
            return lines.all
        }
        for line in logs.flatMap({ $0 }).sorted(by: { $0.time < $1.time }) { await self.line(line) }
    }

    private func list() async throws(DeploymentError) -> ObjectList {
        try await session.call { () async throws(KubernetesError) in
            try await session.client.list(.pods, selection)
        }
    }

    private func read(
        _ source: LogSource, follow: Bool, after time: String? = nil, tail: Int? = nil,
        _ body: @escaping @Sendable (LogLine) async -> Void
    ) async throws(DeploymentError) {
        var log = PodLogRequest(namespace: session.namespace, pod: source.pod, container: source.container)
        log.timestamps = true
        log.follow = follow
        log.tailLines = time == nil ? tail ?? request.tail : nil
        if let time { log.sinceTime = time } else { try setSince(&log) }
        do {
            try await session.client.logs(log) { text in
                guard let line = TimedLine(text) else { return }
                await body(
                    LogLine(
                        service: source.workload, replica: source.replica, container: source.container, isError: false,
                        time: line.time, text: line.text))
            }
        } catch {
            // A container that has not started, or a pod that has just gone, has no lines.
            if error.code == .invalid || error.code == .notFound { return }
            throw DeploymentError(error)
        }
    }

    private func setSince(_ log: inout PodLogRequest) throws(DeploymentError) {
        guard let since = request.since else { return }
        if since.contains("T") {
            log.sinceTime = since
        } else if let seconds = Self.seconds(of: since) {
            log.sinceSeconds = max(1, seconds)
        } else {
            throw DeploymentError(
                .unsupported, "`--since \(since)` is neither a duration nor a time",
                hint: "write 10m or 2026-01-31T12:00:00Z")
        }
    }

    /// `1h30m` in seconds.
    static func seconds(of text: String) -> Int? {
        var total = 0
        var number = ""
        for character in text {
            if character.isASCII, character.isNumber {
                number.append(character)
                continue
            }
            let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
            guard let value = Int(number), let unit = units[character] else { return nil }
            total += value * unit
            number = ""
        }
        if number.isEmpty { return text.isEmpty ? nil : total }
        return total == 0 ? Int(number) : nil
    }

    // MARK: What comes

    /// New lines of all containers, those of pods that come later too, until cancelled or nothing runs any more.
    ///
    /// - Parameter end: what tells, by finishing, that no more pods come; nil: the pods that are there tell it themselves.
    func follow(until end: AsyncStream<Never>? = nil) async throws(DeploymentError) {
        let (stream, continuation) = AsyncStream.makeStream(of: WatchEvent.self)
        do {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await watchPods(continuation)
                    continuation.finish()
                    return true
                }
                if let end {
                    group.addTask {
                        for await _ in end {}
                        // A short-lived pod may have come and ended since the watch last spoke.
                        continuation.yield(.all(try await list()))
                        continuation.finish()
                        return false
                    }
                }
                group.addTask {
                    try await followPods(stream, isBounded: end != nil)
                    return true
                }
                // The first to end ends all: either nothing runs any more, or the cluster has gone.
                while try await group.next() == false {}
                group.cancelAll()
            }
        } catch let error as DeploymentError {
            throw error
        } catch {
            throw DeploymentError(.cancelled, "cancelled")
        }
    }

    private func watchPods(_ continuation: AsyncStream<WatchEvent>.Continuation) async throws(DeploymentError) {
        try await session.call { () async throws(KubernetesError) in
            try await session.client.watch(.pods, selection) { continuation.yield($0) }
        }
    }

    /// - Parameter isBounded: whether the stream ends where the pods do; else it is left once all that there are have ended.
    private func followPods(_ stream: AsyncStream<WatchEvent>, isBounded: Bool) async throws {
        let changes = PodChanges()
        try await withThrowingTaskGroup(of: Void.self) { group in
            var pods: [String: LiveObject] = [:]
            var sources = LogSources(workloads: workloads)
            var followed: Set<LogSource> = []
            var isFirst = true
            for await event in stream {
                switch event {
                case .all(let list): pods = Dictionary(list.items.map { ($0.name, $0) }) { $1 }
                case .changed(let pod): pods[pod.name] = pod
                case .deleted(let pod): pods[pod.name] = nil
                }
                for source in sources.update(Array(pods.values)) where followed.insert(source).inserted {
                    let (tail, states) = (isFirst ? request.tail : nil, changes.states(of: source.pod))
                    group.addTask { try await followOne(source, tail: tail, states) }
                }
                changes.tell(pods)
                isFirst = false
                let live = pods.values.filter { pod in workloads.contains(pod.labels[Keys.name] ?? "") }
                if !isBounded, live.allSatisfy({ $0.podPhase == "Succeeded" || $0.podPhase == "Failed" }) { break }
            }
            changes.tell([:])
            try await group.waitForAll()
        }
    }

    /// Follows one container over its restarts and over connections that break, without repeating a line.
    ///
    /// - Parameter states: what becomes of its pod; ends with it.
    private func followOne(_ source: LogSource, tail: Int?, _ states: AsyncStream<LiveObject>) async throws {
        var states = states.makeAsyncIterator()
        var isOver = false
        let last = Mutex<String?>(nil)
        var isFirst = true
        while !Task.isCancelled {
            let after = last.withLock { $0 }
            var isBroken = false
            do {
                let tail = isFirst ? tail : nil
                try await session.presence(of: source.pod).whileThere {
                    try await read(source, follow: true, after: after, tail: tail) { found in
                        let isNew = last.withLock { time in
                            if let time, found.time <= time { return false }
                            time = found.time
                            return true
                        }
                        if isNew { await line(found) }
                    }
                }
            } catch {
                guard error.code == .unavailable else { throw error }
                isBroken = true
            }
            isFirst = false
            if isOver { return }
            if isBroken {
                // A node that cannot be reached does not tell when it can, and to the API its pods may be what they were.
                try await Task.sleep(for: .seconds(1))
            } else if last.withLock({ $0 }) == after {
                // All is read: there is more when the pod stands otherwise. What it wrote last is read when it is over.
                isOver = await states.next().map { $0.podPhase == "Succeeded" || $0.podPhase == "Failed" } ?? true
            }
        }
    }
}

/// What becomes of pods, for each who follows one of their containers: the newest state that was not seen yet.
private final class PodChanges: Sendable {
    private struct Listener {
        var pod: String
        var told = ""
        var continuation: AsyncStream<LiveObject>.Continuation
    }
    private let listeners = Mutex<[Listener]>([])

    func states(of pod: String) -> AsyncStream<LiveObject> {
        let (stream, continuation) = AsyncStream.makeStream(of: LiveObject.self, bufferingPolicy: .bufferingNewest(1))
        listeners.withLock { $0.append(Listener(pod: pod, continuation: continuation)) }
        return stream
    }

    /// - Parameter pods: all that there are; the others have gone.
    func tell(_ pods: [String: LiveObject]) {
        listeners.withLock { listeners in
            for index in listeners.indices {
                guard let pod = pods[listeners[index].pod] else {
                    listeners[index].continuation.finish()
                    continue
                }
                if pod.resourceVersion != listeners[index].told { listeners[index].continuation.yield(pod) }
                listeners[index].told = pod.resourceVersion
            }
            listeners.removeAll { pods[$0.pod] == nil }
        }
    }
}

private final class Collected: Sendable {
    private let lines = Mutex<[LogLine]>([])
    func add(_ line: LogLine) { lines.withLock { $0.append(line) } }
    var all: [LogLine] { lines.withLock { $0 } }
}
