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

    static func count(_ text: String) -> Int? {
        Int(text).flatMap { (0...Int(Int32.max)).contains($0) ? $0 : nil }
    }
}

extension PodStage {
    /// The Job as one that the cluster makes by the clock.
    func cronJob(_ job: Job, _ workload: ServiceWorkload, _ schedule: CronSchedule) -> CronJob {
        var spec = CronJobSpec(schedule: schedule.text, jobTemplate: JobTemplateSpec(spec: job.spec))
        spec.concurrencyPolicy = concurrencyPolicies.first {
            $0.lowercased() == kompose("cronjob.concurrency_policy", workload)?.lowercased()
        }
        return CronJob(metadata: job.metadata, spec: spec)
    }

    private var concurrencyPolicies: [String] { ["Allow", "Forbid", "Replace"] }

    /// Names each of the labels that has no effect as it stands.
    mutating func reportSchedule(_ workload: ServiceWorkload) {
        let written = KomposeSchedule.labels.filter { workload.service.labels[$0] != nil }
        guard let first = written.first else { return }
        guard let text = workload.service.labels[KomposeSchedule.labels[0]] else {
            return report(workload, "labels.\(first)", "it has no effect without kompose.cronjob.schedule")
        }
        let label = "labels.\(KomposeSchedule.labels[0])"
        guard CronSchedule(text) != nil else {
            return report(
                workload, label, "invalid schedule `\(text)`: the service starts with the others",
                hint: "write minute, hour, day, month and day of the week, such as \"30 2 * * *\"")
        }
        _ = komposeChoice("cronjob.concurrency_policy", of: concurrencyPolicies, workload)
        if let limit = kompose("cronjob.backoff_limit", workload), KomposeSchedule.count(limit) == nil {
            report(
                workload, "labels.kompose.cronjob.backoff_limit", "invalid number `\(limit)`", hint: "write such as 3")
        }
        if workload.schedule == nil { reportUnscheduled(workload, label) }
    }

    private mutating func reportUnscheduled(_ workload: ServiceWorkload, _ label: String) {
        if workload.job != nil {
            report(workload, label, "a job of the stack runs when it is asked for: so deployment run-job")
        } else if workload.isAwaited {
            report(workload, label, "other services wait for its end: it runs once, when the deployment starts")
        } else if !workload.isJob {
            report(
                workload, label, "the service always runs: it is not scheduled", hint: "write `restart: \"no\"`")
        } else {
            report(
                workload, label, "podman has no schedules: the service runs once, when the deployment starts",
                hint: "have cron run `so deployment run-job \(workload.name)`")
        }
    }

    /// A CronJob's Jobs have its name with eleven characters behind it.
    mutating func checkScheduledName(_ workload: ServiceWorkload, _ name: String) {
        guard name.utf8.count > 52 else { return }
        refuse(
            workload, "labels.kompose.cronjob.schedule", "the name \(name) is too long for a CronJob",
            hint: "use at most 52 characters")
    }
}

extension ComposeService {
    /// Whether the files say what becomes of it when it ends.
    var saysRestart: Bool { restart != nil || deploy?.restartPolicy?.condition != nil }
}
