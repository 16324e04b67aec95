import Compose
import KubernetesObjects

extension Renderer {
    /// A healthcheck as a readiness probe, and a startup probe for its start period.
    ///
    /// Docker never restarts a container that is not healthy, so a failing check must not either: readiness, never liveness.
    /// A failed startup probe does restart, so it allows what docker allows before it says unhealthy: the start period and
    /// then the retries.
    mutating func probes(_ unit: Unit) -> (readiness: Probe?, startup: Probe?) {
        guard let check = unit.service.healthcheck, !check.isDisabled else { return (nil, nil) }
        guard let test = check.test else {
            report(
                unit, "healthcheck",
                "without a test it is the image's own check, which Kubernetes does not know: none runs",
                hint: "write the image's `test:` here")
            return (nil, nil)
        }
        guard let command = probeCommand(test, unit) else { return (nil, nil) }
        let interval = max(1, seconds(check.interval, or: Healthcheck.Defaults.interval))
        var probe = Probe()
        probe.exec = ExecAction(command: command)
        probe.initialDelaySeconds = 0
        probe.periodSeconds = interval
        probe.timeoutSeconds = max(1, seconds(check.timeout, or: Healthcheck.Defaults.timeout))
        probe.successThreshold = 1
        let retries = check.retries.flatMap { $0 > 0 ? $0 : nil } ?? Healthcheck.Defaults.retries
        probe.failureThreshold = retries
        return (probe, startup(check, like: probe, interval: interval, retries: retries))
    }

    private func startup(_ check: Healthcheck, like probe: Probe, interval: Int, retries: Int) -> Probe? {
        let period = seconds(check.startPeriod, or: Healthcheck.Defaults.startPeriod)
        guard period > 0 else { return nil }
        let step = check.startInterval.map { max(1, Quantities.seconds($0)) } ?? interval
        var startup = probe
        startup.periodSeconds = step
        startup.failureThreshold = (period + step - 1) / step + (retries * interval + step - 1) / step
        return startup
    }

    /// Zero is docker's way to say the default.
    private func seconds(_ duration: Duration?, or fallback: Duration) -> Int {
        let value = duration.map(Quantities.seconds) ?? 0
        return value > 0 ? value : Quantities.seconds(fallback)
    }

    /// A probe's command is run as it stands: nothing is expanded, so a secret cannot be referred to.
    private mutating func probeCommand(_ test: Healthcheck.Test, _ unit: Unit) -> [String]? {
        let words: [TemplateText]
        switch test {
        case .command(let command): words = command
        case .shell(let line): words = ["/bin/sh", "-c", line]
        case .none: return nil
        }
        guard !words.contains(where: \.isSecret) else {
            refuseSecret(unit, "healthcheck", names: words.flatMap(\.secretNames))
            return nil
        }
        return words.isEmpty ? nil : words.map(\.masked)
    }

    /// A secret where only plain text can stand.
    mutating func refuseSecret(_ unit: Unit, _ key: String, names: [String]) {
        let name = names.first ?? "NAME"
        let shell = key == "healthcheck" ? "\"CMD-SHELL\"" : "\"/bin/sh\", \"-c\""
        refuse(
            unit, key, "the secret \(name) would be readable in the object",
            hint: "pass it in `environment:` and let a shell read it there: [\(shell), \"… $$\(name) …\"]")
    }
}
