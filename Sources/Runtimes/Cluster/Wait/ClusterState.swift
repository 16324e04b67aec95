import FoundationEssentials
import KubernetesClient
import Rendering
import YAML

/// What the watches of one operation have told so far, workload by workload.
actor ClusterState {
    private var views: [String: WorkloadView]
    private var listeners: [String: [Int: AsyncStream<Void>.Continuation]] = [:]
    private var nextListener = 0
    private var hasListedPods = false
    /// The uids of what the watches have seen go.
    private var gone: Set<String> = []
    /// The version at which each kind was listed last.
    private var listed: [ResourceType: Int] = [:]
    /// Since when each symptom has lasted.
    private var since: [Lasting: ContinuousClock.Instant] = [:]
    /// Which workload each object belongs to, for the events about it.
    private var owners: [String: String] = [:]
    private var orphanEvents: [String: [LiveObject]] = [:]
    /// When anything last came further.
    private(set) var lastProgress = ContinuousClock.now
    /// The farthest that each workload has come, and the pods that it has had.
    private var progress: [String: (stage: StartupProgress.Stage, pods: Set<String>)] = [:]
    /// When each workload is looked at next, though nothing tells of a change.
    private var appointments: [String: ContinuousClock.Instant] = [:]
    private nonisolated let (deadlines, deadlineSink) = AsyncStream.makeStream(
        of: (workload: String, time: ContinuousClock.Instant).self)

    /// - Parameter bootTimes: when nodes were started last, where that is known.
    init(_ workloads: [Workload], bootTimes: [String: Date] = [:]) {
        views = Dictionary(
            uniqueKeysWithValues: workloads.map { ($0.name, WorkloadView(workload: $0, bootTimes: bootTimes)) })
    }

    func view(of workload: String) -> WorkloadView? { views[workload] }

    // MARK: What comes in

    func take(_ type: ResourceType, _ event: WatchEvent) {
        switch event {
        case .all(let list):
            listed[type] = Int(list.resourceVersion)
            replaceAll(type, with: list.items)
        case .changed(let object): put(type, object)
        case .deleted(let object): remove(type, object)
        }
    }

    /// Takes the answer to a change of our own in. The watch may have told of the object's later states already, or of its end: both are
    /// truer than the answer, which no further event would correct.
    func takeAnswer(_ type: ResourceType, _ object: LiveObject) {
        guard let name = workload(of: type, object) else { return }
        let known = views[name]?.object
        if known?.uid == object.uid, known?.generation ?? 0 >= object.generation { return }
        // Whoever waits for it has to hear that it is not there.
        if hasGone(type, object, isKnown: known?.uid == object.uid) { return notify(name) }
        put(type, object)
    }

    /// Whether the watch has told of the object's end, or a list from after its making is without it: then nothing will be told of it again.
    /// Versions of one kind are numbers in the order of the changes: https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
    private func hasGone(_ type: ResourceType, _ object: LiveObject, isKnown: Bool) -> Bool {
        if gone.contains(object.uid) { return true }
        guard !isKnown, let listed = listed[type], let version = Int(object.resourceVersion) else { return false }
        return version <= listed
    }

    private func replaceAll(_ type: ResourceType, with objects: [LiveObject]) {
        let names = Set(objects.map(\.name))
        for (workload, view) in views {
            for old in Self.objects(type, in: view) where !names.contains(old.name) {
                remove(type, old, of: workload)
            }
        }
        for object in objects { put(type, object) }
        if type == .pods { noteFormerFailures() }
        for (name, view) in views where view.workload.kind.rawValue == type.kind && !view.isListed {
            views[name]?.isListed = true
            notify(name)
        }
    }

    /// Pods that failed before this operation say nothing about what it does.
    private func noteFormerFailures() {
        guard !hasListedPods else { return }
        hasListedPods = true
        for (name, view) in views {
            views[name]?.formerFailures = Set(view.pods.filter { $0.podPhase == "Failed" }.map(\.uid))
        }
    }

    private static func objects(_ type: ResourceType, in view: WorkloadView) -> [LiveObject] {
        switch type {
        case .pods: view.pods
        case .replicaSets: view.replicaSets
        case .events: []
        default: view.object.map { $0.kind == type.kind ? [$0] : [] } ?? []
        }
    }

    private func workload(of type: ResourceType, _ object: LiveObject) -> String? {
        switch type {
        case .events: return owners[object.node.at("involvedObject", "uid")?.text ?? ""]
        case .deployments, .daemonSets, .jobs, .cronJobs:
            return views[object.name]?.workload.kind.rawValue == type.kind ? object.name : nil
        default:
            // Both carry the labels of the pod template.
            guard let label = object.labels[Keys.name] else { return nil }
            return views[label] != nil ? label : nil
        }
    }

    private func put(_ type: ResourceType, _ object: LiveObject) {
        guard let name = workload(of: type, object) else {
            if type == .events, let uid = object.node.at("involvedObject", "uid")?.text {
                orphanEvents[uid, default: []].append(object)
            }
            return
        }
        if type != .events {
            owners[object.uid] = name
            for event in orphanEvents.removeValue(forKey: object.uid) ?? [] { views[name]?.events.put(event) }
        }
        switch type {
        case .events: views[name]?.events.put(object)
        case .pods: views[name]?.pods.put(object)
        case .replicaSets: views[name]?.replicaSets.put(object)
        default:
            // What an apply answered may be newer than what the watch tells next.
            if let known = views[name]?.object, known.uid == object.uid, known.generation > object.generation { return }
            views[name]?.object = object
        }
        notify(name)
    }

    private func remove(_ type: ResourceType, _ object: LiveObject) {
        guard type != .events, let name = workload(of: type, object) else { return }
        remove(type, object, of: name)
    }

    private func remove(_ type: ResourceType, _ object: LiveObject, of name: String) {
        gone.insert(object.uid)
        switch type {
        case .pods: views[name]?.pods.removeAll { $0.uid == object.uid }
        case .replicaSets: views[name]?.replicaSets.removeAll { $0.uid == object.uid }
        default: if views[name]?.object?.uid == object.uid { views[name]?.object = nil }
        }
        notify(name)
    }

    // MARK: What is asked

    /// The symptoms that have lasted longer than they may, those that go on first seen from now.
    func overdue(_ workload: String, _ assessment: Assessment, patience: Patience) -> [Symptom] {
        let now = ContinuousClock.now
        note(workload, assessment)
        let current = Set(assessment.symptoms.map(\.id))
        for lasting in since.keys
        where lasting.workload == workload && !lasting.isUp && !current.contains(lasting.id) {
            since[lasting] = nil
        }
        return assessment.symptoms.filter { symptom in
            let lasting = Lasting(workload: workload, id: symptom.id)
            let begin = since[lasting] ?? now
            since[lasting] = begin
            guard let limit = symptom.patience else { return false }
            let quiet = symptom.waitsForOthers ? lastProgress + .seconds(patience.crashSeconds) : now
            return isOver(max(begin + .seconds(limit), quiet), at: now, for: workload)
        }
    }

    /// Whether what runs without a probe has stayed up for so many seconds.
    func hasSettled(_ workload: String, _ assessment: Assessment, seconds: Double) -> Bool {
        let now = ContinuousClock.now
        return assessment.settling.allSatisfy { id in
            let lasting = Lasting(workload: workload, id: id, isUp: true)
            let begin = since[lasting] ?? now
            since[lasting] = begin
            return isOver(begin + .seconds(seconds), at: now, for: workload)
        }
    }

    /// Whether nothing has come further for so many seconds.
    func standsStill(_ workload: String, seconds: Double) -> Bool {
        isOver(lastProgress + .seconds(seconds), at: .now, for: workload)
    }

    /// Whether a time has come; if not, the workload is looked at again when it has.
    private func isOver(
        _ time: ContinuousClock.Instant, at now: ContinuousClock.Instant, for workload: String
    ) -> Bool {
        guard time > now else { return true }
        if let known = appointments[workload], known <= time { return false }
        appointments[workload] = time
        deadlineSink.yield((workload, time))
        return false
    }

    /// Wakes those who wait for a workload when what lasts has lasted long enough: nothing else tells of what stays as it is.
    nonisolated func keepTime() async {
        await withDiscardingTaskGroup { group in
            for await (workload, time) in deadlines {
                group.addTask {
                    try? await Task.sleep(until: time, clock: .continuous)
                    await self.wake(workload, time)
                }
            }
        }
    }

    private func wake(_ workload: String, _ time: ContinuousClock.Instant) {
        if appointments[workload] == time { appointments[workload] = nil }
        notify(workload)
    }

    /// Whatever brings a workload further than it has been is progress; a restart is not.
    private func note(_ workload: String, _ assessment: Assessment) {
        let before = progress[workload] ?? (.pending, [])
        let pods = before.pods.union(views[workload]?.pods.map { "\($0.uid) \($0.podPhase)" } ?? [])
        guard assessment.stage > before.stage || pods.count > before.pods.count else { return }
        progress[workload] = (max(before.stage, assessment.stage), pods)
        lastProgress = .now
    }

    func madeProgress() { lastProgress = .now }

    // MARK: Listening

    /// One element now, one after every change of the workload, and one when a time has come that was asked about before.
    func changes(of workload: String) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        nextListener += 1
        listeners[workload, default: [:]][nextListener] = continuation
        continuation.yield()
        return stream
    }

    private func notify(_ workload: String) {
        for (id, listener) in listeners[workload] ?? [:] {
            if case .terminated = listener.yield() { listeners[workload]?[id] = nil }
        }
    }
}

/// Something about a workload that goes on: a symptom, or that a container is up.
private struct Lasting: Hashable {
    var workload: String
    var id: String
    var isUp = false
}

extension [LiveObject] {
    /// Takes a newer state of an object in, or a new one.
    fileprivate mutating func put(_ object: LiveObject) {
        if let index = firstIndex(where: { $0.uid == object.uid }) { self[index] = object } else { append(object) }
    }
}
