import Compose

/// Every service with what it becomes, and the names that follow from it: what the first stage returns.
struct CollectedWorkloads {
    /// The stack's jobs last.
    var workloads: [ServiceWorkload] = []
    /// The place in ``workloads`` by service name, for the pods (nil) and for each stack job.
    var workloadIndex: [String?: [String: Int]] = [:]
    /// Names that the links of other services give a service.
    var linkAliases: [LinkTarget: [String]] = [:]
    /// The DNS names of the pods' services, which jobs must not take.
    var ownNames: Set<String> = []
    /// The names of the Secrets that hold services' environments.
    var environmentSecrets: Set<String> = []
}

/// The service that a link leads to.
struct LinkTarget: Hashable {
    var job: String?
    var service: String
}

extension CollectedWorkloads: CustomStringConvertible {
    var description: String { workloads.map(\.description).joined(separator: "\n") }
}

extension ServiceWorkload: CustomStringConvertible {
    var description: String {
        let origin = job.map { "job \($0)" } ?? component
        let clock = schedule.map { ", at \($0.text)" } ?? ""
        return "\(service.name) of \(origin): \(kind) \(name)\(isAwaited ? ", awaited" : "")\(clock)"
    }
}
