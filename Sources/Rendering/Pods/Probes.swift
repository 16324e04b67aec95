import Compose
import KubernetesObjects
import Specs

/// Renders a healthcheck as a readiness probe.
///
/// Docker never restarts a container that is not healthy, so a failing check must not either: readiness, never liveness
/// and no startup probe, which kills when its time is over. How long failures do not count is for whoever waits.
struct ProbeStep: DraftingStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var pod = PodDraft()
    var reports = ReportCollector()

    mutating func run() -> Probe? {
        guard let check = workload.service.healthcheck else { return routedProbe() }
        guard !check.isDisabled else { return nil }
        guard let test = check.test else {
            report(
                workload, "healthcheck",
                "without a test it is the image's own check, which Kubernetes does not know: none runs",
                hint: "write the image's `test:` here")
            return nil
        }
        guard let command = probeCommand(test) else { return nil }
        let interval = max(1, seconds(check.interval, or: Healthcheck.Defaults.interval))
        var probe = Probe()
        probe.exec = ExecAction(command: command)
        probe.initialDelaySeconds = 0
        probe.periodSeconds = interval
        probe.timeoutSeconds = max(1, seconds(check.timeout, or: Healthcheck.Defaults.timeout))
        probe.successThreshold = 1
        let retries = check.retries.flatMap { $0 > 0 ? $0 : nil } ?? Healthcheck.Defaults.retries
        probe.failureThreshold = min(retries, Quantities.largest)
        let startPeriod = seconds(check.startPeriod, or: Healthcheck.Defaults.startPeriod)
        if startPeriod > 0 { pod.startPeriods[workload.name] = startPeriod }
        reportStartInterval(check, interval: interval)
        return probe
    }

    /// A service that routes lead to and that has no check is ready when it takes connections there: else the route would answer 502 until it does.
    private mutating func routedProbe() -> Probe? {
        guard can(.kubernetesObjects), workload.job == nil, !workload.isJob, let port = routedPort()
        else {
            return nil
        }
        var probe = Probe()
        probe.tcpSocket = TCPSocketAction(port: .int(port))
        probe.periodSeconds = 5
        probe.timeoutSeconds = 2
        probe.failureThreshold = 3
        // Nobody said how long it takes.
        pod.startPeriods[workload.name] = 300
        return probe
    }

    private func routedPort() -> Int? {
        let routes = spec.network.httpProxies.flatMap(\.routes)
        guard let port = routes.first(where: { $0.proxyTo.service == workload.service.name })?.proxyTo.port,
            listeners(workload).contains(where: { $0.port == port && $0.transport == "tcp" })
        else { return nil }
        return port
    }

    /// Podman's runtime asks often while it waits; a probe has one period.
    private mutating func reportStartInterval(_ check: Healthcheck, interval: Int) {
        guard can(.kubernetesObjects), let step = check.startInterval, step > .zero,
            Quantities.seconds(step) < interval
        else { return }
        report(
            workload, "healthcheck.start_interval",
            "the check runs every \(interval) s from the start: the service may be found ready later",
            hint: "write a shorter `interval:`")
    }

    /// Zero is docker's way to say the default.
    private func seconds(_ duration: Duration?, or fallback: Duration) -> Int {
        let value = duration.map(Quantities.seconds) ?? 0
        return value > 0 ? value : Quantities.seconds(fallback)
    }

    /// A probe's command is run as it stands: nothing is expanded, so a secret cannot be referred to.
    private mutating func probeCommand(_ test: Healthcheck.Test) -> [String]? {
        let words: [TemplateText]
        switch test {
        case .command(let command): words = command
        case .shell(let line): words = ["/bin/sh", "-c", line]
        case .none: return nil
        }
        guard !words.contains(where: \.isSecret) else {
            refuseSecret(workload, "healthcheck", names: words.flatMap(\.secretNames))
            return nil
        }
        return words.isEmpty ? nil : words.map(\.masked)
    }
}

extension ReportingStage {
    /// A secret where only plain text can stand.
    mutating func refuseSecret(_ workload: ServiceWorkload, _ key: String, names: [String]) {
        let name = names.first ?? "NAME"
        let shell = key == "healthcheck" ? "\"CMD-SHELL\"" : "\"/bin/sh\", \"-c\""
        refuse(
            workload, key, "the secret \(name) would be readable in the object",
            hint: "pass it in `environment:` and let a shell read it there: [\(shell), \"… $$\(name) …\"]")
    }
}
