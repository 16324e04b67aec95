import ExternalTools
import KubernetesClient
import Rendering
import YAML

extension ClusterSession {
    /// The kinds that a wait looks at.
    private var watched: [ResourceType] {
        let hasSchedules = model.rendered.workloads.contains { $0.kind == .cronJob }
        return [.pods, .deployments, .replicaSets, .daemonSets, .jobs, .events] + (hasSchedules ? [.cronJobs] : [])
    }

    private func selection(_ type: ResourceType) -> Selection {
        // Events carry no labels of what they are about.
        type == .events
            ? Selection(namespace: namespace)
            : Selection(namespace: namespace, labels: "\(Keys.instance)=\(model.id)")
    }

    /// Without a right to them, events are missing from a diagnosis, nothing else.
    private func list(_ type: ResourceType) async throws(DeploymentError) -> ObjectList {
        do {
            return try await client.list(type, selection(type))
        } catch {
            if error.code == .forbidden, type == .events || type == .daemonSets {
                return ObjectList(items: [], resourceVersion: "")
            }
            throw DeploymentError(error)
        }
    }

    private func watch(_ type: ResourceType, _ state: ClusterState) async throws(DeploymentError) {
        do {
            try await client.watch(type, selection(type)) { await state.take(type, $0) }
        } catch {
            if error.code == .forbidden, type == .events || type == .daemonSets { return }
            throw DeploymentError(error)
        }
    }

    /// Reads once what a wait looks at.
    func look(_ workloads: [Workload]) async throws(DeploymentError) -> ClusterState {
        let state = ClusterState(workloads, bootTimes: await bootTimes())
        let watched = watched
        let lists = try await each(watched) { type async throws(DeploymentError) in try await list(type) }
        for (type, list) in zip(watched, lists) { await state.take(type, .all(list)) }
        return state
    }

    /// Keeps the state up to date while the body works with it.
    func watching<Result: Sendable>(
        _ state: ClusterState, _ body: @escaping @Sendable () async throws -> Result
    ) async throws(DeploymentError) -> Result {
        do {
            return try await withThrowingTaskGroup(of: Result?.self) { group in
                for type in watched {
                    group.addTask {
                        try await watch(type, state)
                        return nil
                    }
                }
                group.addTask {
                    await state.keepTime()
                    return nil
                }
                group.addTask { try await body() }
                while let result = try await group.next() {
                    guard let result else { continue }
                    group.cancelAll()
                    return result
                }
                throw CancellationError()
            }
        } catch let error as DeploymentError {
            throw error
        } catch {
            throw DeploymentError(.cancelled, "cancelled")
        }
    }

    /// Waits until a kind's objects are as wanted.
    ///
    /// - Parameter seconds: how long nothing may change before it is given up.
    func wait(
        _ type: ResourceType, _ selection: Selection, limit seconds: Double, what: String,
        until isDone: @escaping @Sendable ([String: LiveObject]) -> Bool
    ) async throws(DeploymentError) {
        let (stream, continuation) = AsyncStream.makeStream(of: WatchEvent?.self)
        let last = SilenceClock()
        do {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await call { () async throws(KubernetesError) in
                        try await client.watch(type, selection) { event in
                            last.heard()
                            continuation.yield(event)
                        }
                    }
                    return false
                }
                group.addTask {
                    try await last.wait(.seconds(seconds))
                    continuation.yield(nil)
                    return false
                }
                group.addTask { try await follow(stream, limit: seconds, what: what, until: isDone) }
                while let isOver = try await group.next() {
                    if isOver { break }
                }
                group.cancelAll()
            }
        } catch let error as DeploymentError {
            throw error
        } catch {
            throw DeploymentError(.cancelled, "cancelled")
        }
    }

    private func follow(
        _ stream: AsyncStream<WatchEvent?>, limit: Double, what: String, until isDone: ([String: LiveObject]) -> Bool
    ) async throws -> Bool {
        var objects: [String: LiveObject] = [:]
        var isKnown = false
        for await event in stream {
            switch event {
            case .all(let list)?:
                objects = Dictionary(list.items.map { ($0.name, $0) }) { $1 }
                isKnown = true
            case .changed(let object)?: objects[object.name] = object
            case .deleted(let object)?: objects[object.name] = nil
            case nil:
                throw DeploymentError(
                    .failed, "\(what): nothing has changed for \(Int(limit)) s", cause: stuck(objects),
                    hint: "see what holds it: kubectl -n \(namespace) get all,events")
            }
            if isKnown, isDone(objects) { return true }
        }
        throw CancellationError()
    }

    private func stuck(_ objects: [String: LiveObject]) -> String {
        objects.values.filter(\.isTerminating).map { object in
            let holders = object.metadata?["finalizers"]?.sequence?.compactMap(\.text) ?? []
            return holders.isEmpty ? object.identity : "\(object.identity) (held by \(holders.joined(separator: ", ")))"
        }.sorted().joined(separator: ", ")
    }
}
