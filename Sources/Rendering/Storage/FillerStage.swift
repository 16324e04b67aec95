import Compose
import OrderedCollections
import Specs

/// Chooses the workload that fills each volume with what its image holds, by the volume's key.
struct FillerStage: CollectedStage {
    let context: RenderContext
    let collection: CollectedWorkloads

    /// Decides which service fills each volume: the first to start, as in compose, where the volume is not empty any more for the
    /// others.
    func run() -> [String: Int] {
        guard !can(.filledVolumes) else { return [:] }
        var result: [String: Int] = [:]
        for workload in workloadsInStartOrder() {
            for mount in workload.service.volumes where mount.isFilled {
                guard let source = mount.source, result[source] == nil else { continue }
                result[source] = workload.index
            }
        }
        return result
    }

    /// Workloads so that each comes after those that it depends on.
    private func workloadsInStartOrder() -> [ServiceWorkload] {
        var result: [ServiceWorkload] = []
        var isDone = Array(repeating: false, count: workloads.count)
        for start in workloads where !isDone[start.index] {
            var stack: [(workload: ServiceWorkload, targets: [String])] = [(start, Array(start.service.dependsOn.keys))]
            isDone[start.index] = true
            while let top = stack.last {
                guard let name = top.targets.first else {
                    result.append(top.workload)
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].targets.removeFirst()
                guard let other = workload(name, for: top.workload), !isDone[other.index] else { continue }
                isDone[other.index] = true
                stack.append((other, Array(other.service.dependsOn.keys)))
            }
        }
        return result
    }
}

extension ComposeMount {
    var isFilled: Bool { kind == .volume && volume?.nocopy != true && volume?.subpath == nil }
}
