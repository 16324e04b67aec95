import Compose
import KubernetesObjects
import OrderedCollections

/// When a service runs, where `kompose.cronjob.schedule` says so.
///
/// Rule: <https://kompose.io/user-guide/#labels>
struct KomposeSchedule: Hashable {
    var schedule: CronSchedule
    var backoffLimit: Int?

    static let labels = ["schedule", "concurrency_policy", "backoff_limit"].map { "kompose.cronjob.\($0)" }

    /// Nil where the service has no such label, or one that means nothing.
    init?(_ service: ComposeService) {
        guard let text = service.labels["kompose.cronjob.schedule"], let schedule = CronSchedule(text) else {
            return nil
        }
        self.schedule = schedule
        backoffLimit = service.labels["kompose.cronjob.backoff_limit"].flatMap(Self.count)
    }

    static let concurrencyPolicies = ["Allow", "Forbid", "Replace"]

    static func count(_ text: String) -> Int? {
        Int(text).flatMap { (0...Int(Int32.max)).contains($0) ? $0 : nil }
    }
}

extension ComposeService {
    /// Whether the files say what becomes of it when it ends.
    var saysRestart: Bool { restart != nil || deploy?.restartPolicy?.condition != nil }
}
