import KubernetesObjects
import Rendering
import Testing
import YAML

/// `kompose.cronjob.*`: a CronJob where that is what the service means, else a report.
@Suite struct KomposeScheduleTests {
    private func service(_ more: String = "", labels: String = "kompose.cronjob.schedule: \"30 2 * * *\"") -> String {
        "services: {a: {image: \"x:1\", \(more.isEmpty ? "" : more + ", ")labels: {\(labels)}}}"
    }

    private func cronJobs(_ rendered: Rendered) -> [CronJob] {
        rendered.deployment.objects.compactMap { if case .cronJob(let job) = $0 { job } else { nil } }
    }

    @Test func `a service that ends is a CronJob in a cluster, with its policy and its tries`() throws {
        let rendered = try render(
            service(
                "restart: \"no\"",
                labels:
                    "kompose.cronjob.schedule: \"*/5 0-6 1,15 jan-mar sun\", kompose.cronjob.concurrency_policy: Replace, kompose.cronjob.backoff_limit: \"4\""
            ), target: .kubernetes)
        #expect(rendered.errors == [] && rendered.warnings == [])
        let job = try #require(cronJobs(rendered).first)
        #expect(job.spec.schedule == "*/5 0-6 1,15 jan-mar sun" && job.spec.concurrencyPolicy == "Replace")
        #expect(job.spec.jobTemplate.spec.backoffLimit == 4)
        #expect(job.spec.jobTemplate.spec.template.spec.restartPolicy == "OnFailure")
        #expect(rendered.deployment.workloads.map(\.kind) == [.cronJob])
        let once = try render(service(), target: .kind)
        #expect(cronJobs(once).first?.spec.jobTemplate.spec.backoffLimit == 0)
        #expect(cronJobs(once).first?.spec.jobTemplate.spec.template.spec.restartPolicy == "Never")
    }

    @Test(arguments: [
        ("restart: always", "kompose.cronjob.schedule: \"@daily\"", "the service always runs"),
        ("deploy: {mode: global}", "kompose.cronjob.schedule: \"@daily\"", "the service always runs"),
        ("", "kompose.cronjob.schedule: \"60 * * * *\"", "invalid schedule `60 * * * *`"),
        ("", "kompose.cronjob.schedule: \"* * * *\"", "invalid schedule"),
        ("", "kompose.cronjob.schedule: \"5-1 * * * *\"", "invalid schedule"),
        ("", "kompose.cronjob.schedule: \"*/0 * * * *\"", "invalid schedule"),
        ("", "kompose.cronjob.schedule: \"TZ=UTC 0 * * * *\"", "invalid schedule"),
        ("", "kompose.cronjob.backoff_limit: \"2\"", "no effect without kompose.cronjob.schedule"),
        ("", "kompose.cronjob.schedule: \"@daily\", kompose.cronjob.backoff_limit: \"-1\"", "invalid number `-1`"),
        (
            "", "kompose.cronjob.schedule: \"@daily\", kompose.cronjob.concurrency_policy: Never",
            "Never has no equivalent"
        ),
        ("", "kompose.cronjob.schedule: \"@daily\", kompose.cronjob.other: x", "does not know this label"),
    ])
    func `what has no effect is reported once, with its place`(_ more: String, _ labels: String, _ words: String) throws
    {
        let rendered = try render(service(more, labels: labels), target: .kubernetes)
        let told = rendered.diagnostics.filter { $0.what.contains(words) }
        #expect(rendered.errors == [] && told.count == 1 && told[0].mark?.line == 1, "\(rendered.warnings)")
    }

    @Test func `podman runs it once, and says what runs it by the clock`() throws {
        let rendered = try render(service(), target: .podman)
        #expect(cronJobs(rendered).isEmpty && rendered.deployment.workloads.map(\.kind) == [.job])
        #expect(rendered.warnings.filter { $0.contains("podman has no schedules") }.count == 1)
    }

    @Test func `what others wait for runs once`() throws {
        let rendered = try render(
            """
            services:
              a: {image: "x:1", labels: {kompose.cronjob.schedule: "@daily"}}
              b: {image: "x:1", depends_on: {a: {condition: service_completed_successfully}}}
            """, target: .kubernetes)
        #expect(cronJobs(rendered).isEmpty && rendered.warnings.contains { $0.contains("other services wait") })
    }

    @Test func `a name that is too long for a CronJob is an error`() throws {
        let name = String(repeating: "n", count: 53)
        let rendered = try render(
            "services: {\(name): {image: \"x:1\", labels: {kompose.cronjob.schedule: \"@daily\"}}}", target: .kubernetes
        )
        #expect(rendered.errors.count == 1 && rendered.errors[0].contains("too long for a CronJob"))
    }
}
