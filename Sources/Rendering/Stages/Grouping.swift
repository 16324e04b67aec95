/// Which workloads share a pod: what grouping returns.
struct Grouping {
    var groups: [Group] = []
    /// The group that each workload runs in; an init container's is the first of its hosts.
    var groupOfWorkload: [Int?] = []
}

/// What runs in one pod.
struct Group {
    var name: String
    var component: String
    var job: String?
    /// The workloads that are containers, in the order of the files, but the owner of a shared namespace first: the first decides
    /// name, kind and restart policy of the workload.
    var workloads: [Int]
    /// The workloads that are init containers, in the order in which they run.
    var initWorkloads: [Int] = []
}

extension Grouping: CustomStringConvertible {
    var description: String { groups.map(\.description).joined(separator: "\n") }
}

extension Group: CustomStringConvertible {
    var description: String {
        "\(name): \(workloads)\(initWorkloads.isEmpty ? "" : " after \(initWorkloads)")"
    }
}
