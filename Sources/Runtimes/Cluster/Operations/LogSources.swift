import KubernetesClient
import Rendering
import YAML

/// One container whose log is read.
struct LogSource: Hashable, Sendable {
    var workload: String
    var pod: String
    var uid: String
    var container: String
    var replica: Int
}

/// The containers of some workloads that have a log.
///
/// A pod keeps its number among its workload's pods while it is there: a new pod whose name sorts before it does not make it another source,
/// all of whose lines would come again.
struct LogSources {
    let workloads: Set<String>
    private var numbers: [String: Int] = [:]

    init(workloads: Set<String>) {
        self.workloads = workloads
    }

    /// - Parameter pods: all that there are now.
    mutating func update(_ pods: [LiveObject]) -> [LogSource] {
        let pods = pods.filter { workloads.contains($0.labels[Keys.name] ?? "") }.sorted { $0.name < $1.name }
        let present = Set(pods.map(\.uid))
        numbers = numbers.filter { present.contains($0.key) }
        for pod in pods where numbers[pod.uid] == nil { numbers[pod.uid] = leastFree(beside: pod, in: pods) }
        return pods.flatMap { pod in
            Self.started(pod).map {
                LogSource(
                    workload: pod.labels[Keys.name] ?? "", pod: pod.name, uid: pod.uid, container: $0,
                    replica: numbers[pod.uid] ?? 1)
            }
        }
    }

    private func leastFree(beside pod: LiveObject, in pods: [LiveObject]) -> Int {
        let siblings = pods.filter { $0.labels[Keys.name] == pod.labels[Keys.name] }
        let taken = Set(siblings.compactMap { numbers[$0.uid] })
        return (1...siblings.count).first { !taken.contains($0) } ?? siblings.count + 1
    }

    /// The containers of a pod that run or have run.
    private static func started(_ pod: LiveObject) -> [String] {
        let statuses = pod.initStatuses + pod.containerStatuses
        return statuses.filter { status in
            let hasRun =
                status.at("state", "running") ?? status.at("state", "terminated")
                ?? status.at("lastState", "terminated")
            return hasRun != nil
        }.compactMap { $0["name"]?.text }
    }
}
