import Compose
import OrderedCollections
import YAML

/// Finds cycles of dependencies that compose does not see: services that share a pod can make them.
struct DependencyCycleStep: PodStep {
    let inputs: PodInputs
    let rendered: [Workload]
    var reports = ReportCollector()

    mutating func run() {
        let byName = Dictionary(rendered.map { ($0.name, $0) }) { first, _ in first }
        var finished: Set<String> = []
        for workload in rendered {
            guard let cycle = Self.cycle(from: workload.name, in: byName, finished: &finished) else { continue }
            reports.error(
                "the pods \(cycle.joined(separator: " → ")) wait for each other",
                at: workloads.first { $0.service.name == workload.services.first }?.service.mark(of: "depends_on"),
                hint: "take one of the services out of the shared pod, or remove one `depends_on`")
            return
        }
    }

    /// A depth-first walk without recursion: chains of dependencies may be as long as the project.
    private static func cycle(
        from start: String, in workloads: [String: Workload], finished: inout Set<String>
    ) -> [String]? {
        guard !finished.contains(start) else { return nil }
        var path: [(name: String, next: Int)] = [(start, 0)]
        var onPath: Set<String> = [start]
        while let top = path.last {
            let targets = workloads[top.name]?.dependencies ?? []
            guard top.next < targets.count else {
                finished.insert(top.name)
                onPath.remove(top.name)
                path.removeLast()
                continue
            }
            path[path.count - 1].next += 1
            let target = targets[top.next].workload
            if onPath.contains(target) {
                return path.map(\.name).drop { $0 != target } + [target]
            }
            if !finished.contains(target) {
                onPath.insert(target)
                path.append((target, 0))
            }
        }
        return nil
    }
}
