import Compose
import OrderedCollections

/// Names each of the labels of a service's schedule that has no effect.
struct ScheduleReportStep: PodStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var reports = ReportCollector()

    mutating func run() {
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
        _ = komposeChoice("cronjob.concurrency_policy", of: KomposeSchedule.concurrencyPolicies, workload)
        if let limit = kompose("cronjob.backoff_limit", workload), KomposeSchedule.count(limit) == nil {
            report(
                workload, "labels.kompose.cronjob.backoff_limit", "invalid number `\(limit)`", hint: "write such as 3")
        }
        if workload.schedule == nil { reportUnscheduled(label) }
    }

    private mutating func reportUnscheduled(_ label: String) {
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
}
