import ExternalTools
import FoundationEssentials
import YAML

extension StartOperation {
    /// Waits until a pod is ready: its health checks pass, its job has ended well, or, where there is nothing to ask, it runs and stays up.
    func awaitReady(_ decision: PodDecision, _ ids: [String: String]) async throws {
        let pod = decision.pod
        for container in pod.containers {
            guard let id = ids[container.name] else { continue }
            if pod.mayEnd, decision.action == .keep, decision.hasEnded(id) {
                // A job, or a service that ends with its process: it has ended well, else it would not be kept.
                continue
            } else if pod.completes {
                try await unlessAbandoned { try await complete(pod, id) }
            } else {
                try await unlessAbandoned { try await settle(container, id, decision) }
            }
        }
    }

    /// Waits for the end of a job; one that failed is run again as often as it may be.
    private func complete(_ pod: PodmanPod, _ id: String) async throws {
        for attempt in 0... {
            let code = try await exitCode(of: id)
            if code == 0 { return }
            guard attempt < pod.retries else {
                let tries = attempt == 0 ? "" : ", \(attempt + 1) times in a row"
                throw Interruption.failure(
                    ServiceFailure(
                        pod.workload, .jobFailed, "the job ended with exit code \(code)\(tries)",
                        log: await lastLines(of: id)))
            }
            events(Event(pod.workload, .restarted(exitCode: code, times: attempt + 1)))
            try await podman.change(PodmanArguments.start([id]))
        }
    }

    private func settle(_ container: PodmanContainer, _ id: String, _ decision: PodDecision) async throws {
        var state = SettleState(check: container.readiness, isKept: decision.action == .keep)
        let listening = container.readiness == nil ? listening(container, decision.pod) : nil
        if listening != nil { state.askPorts() }
        if let delay = container.readiness?.initialDelay, delay > 0, decision.action != .keep {
            try await Task.sleep(for: .seconds(delay))
        }
        while true {
            if try await hasEndedWell(container, id, decision.pod, &state) { return }
            if let check = container.readiness {
                guard let answer = try await failingAnswer(check, id) else { return await recordAnswer(decision.pod) }
                state.answers.append(answer)
                events(Event(decision.pod.workload, .probing(answer)))
                if state.isExhausted(check) { throw Interruption.failure(await unhealthy(check, answer, id, decision)) }
            } else if state.deaths == 0, listening?.areAllHeld == true {
                return await recordAnswer(decision.pod)
            } else if state.isSettled, try await isUp(id, decision, &state) {
                return
            }
            // A port is mostly held a moment after the start: a podman that listens would start up for nothing.
            if !state.asksPorts { await watch.begin() }
            try await Task.sleep(for: .seconds(state.nextInterval()))
        }
    }

    /// A pod of several containers is heard only when all of them are: it is looked at.
    private func recordAnswer(_ pod: PodmanPod) async {
        if pod.containers.count == 1 { await startup.recordAnswer(pod.name) }
    }

    /// Judges the ends that a container has had; true where it was meant to end, and ended well.
    private func hasEndedWell(
        _ container: PodmanContainer, _ id: String, _ pod: PodmanPod, _ state: inout SettleState
    ) async throws -> Bool {
        let deaths = await watch.deaths(of: id)
        if let last = deaths.last {
            if deaths.count > state.deaths, container.restartsAlways || container.restartsOnFailure {
                events(Event(pod.workload, .restarted(exitCode: last.exitCode, times: deaths.count)))
            }
            state.note(deaths: deaths.count, last: last.time)
        } else if await watch.isAvailable, !state.mustLook {
            return false
        }
        let now = try await inspect(id)
        state.note(startedAt: now.State.Status == "running" ? now.State.StartedAt : nil)
        if now.State.Status == "running" || container.restartsAlways {
            let ends = max(deaths.count, now.RestartCount ?? 0)
            if ends > state.deaths, deaths.isEmpty { state.note(deaths: ends, last: .now) }
            let quiet = (ContinuousClock.now - (await startup.lastProgress)).seconds
            // Podman leaves it as it is, as after `podman kill`.
            if now.hasLastlyEnded { throw Interruption.failure(await crashed(now, max(1, ends), id, pod)) }
            guard ends >= options.crashBudget, quiet >= Double(options.crashSeconds) else { return false }
            throw Interruption.failure(await stopped(crashed(now, ends, id, pod), id, pod))
        }
        if now.State.ExitCode == 0, pod.mayEnd { return true }
        // Podman may be about to restart it: only a state that lasts is an end.
        if container.restartsOnFailure, !now.hasLastlyEnded { return false }
        throw Interruption.failure(await crashed(now, (now.RestartCount ?? 0) + 1, id, pod))
    }

    /// Looks once before a container without a health check counts as ready: on a busy host the event of its end may come late.
    private func isUp(_ id: String, _ decision: PodDecision, _ state: inout SettleState) async throws -> Bool {
        let now = try await inspect(id)
        let restarts = decision.action == .keep ? 0 : now.RestartCount ?? 0
        if now.State.Status == "running", restarts <= state.deaths { return true }
        state.mustLook = true
        state.note(deaths: max(restarts, state.deaths + 1), last: .now)
        return false
    }

    func inspect(_ id: String) async throws -> PodmanContainerInspection {
        let found = try await podman.inspect(containers: [id])
        guard let first = found.first else { throw CancellationError() }
        return first
    }

    /// The failure of a container that keeps ending, which is stopped: podman would restart it at once and for ever, without a pause.
    private func stopped(_ failure: ServiceFailure, _ id: String, _ pod: PodmanPod) async -> ServiceFailure {
        var failure = failure
        guard (try? await podman.stopForGood(id, graceSeconds: pod.graceSeconds)) == true else { return failure }
        failure.reason += "; it was stopped"
        return failure
    }

    private func crashed(
        _ now: PodmanContainerInspection, _ ends: Int, _ id: String, _ pod: PodmanPod
    ) async -> ServiceFailure {
        let last = await watch.deaths(of: id).last?.exitCode ?? now.State.ExitCode
        let times = ends > 1 ? "it keeps ending: \(ends) times so far, last with" : "it ended with"
        var reason = "\(times) exit code \(last)"
        if now.State.OOMKilled == true { reason += ", out of memory (OOMKilled)" }
        let hint =
            last == 0 && !pod.mayEnd
            ? "a service has to keep running; `restart: \"no\"` makes it a job that may end" : nil
        return ServiceFailure(pod.workload, .crashed, reason, hint: hint, log: await lastLines(of: id))
    }

    /// Asks a health check once; nil is a pass.
    private func failingAnswer(_ check: ReadinessCheck, _ id: String) async throws -> String? {
        let answer = try await podman.probe(check, container: id)
        return answer.map { preparation.mask($0) }
    }

    private func unhealthy(
        _ check: ReadinessCheck, _ answer: String, _ id: String, _ decision: PodDecision
    ) async -> ServiceFailure {
        let command = check.command.map(shellQuoted).joined(separator: " ")
        return ServiceFailure(
            decision.pod.workload, .unhealthy,
            "its health check never passed (\(check.failureThreshold) retries, \(Int(check.period)) s apart): "
                + "\(command): \(answer)", log: await lastLines(of: id))
    }
}

/// What is known of a container that is not ready yet.
struct SettleState {
    private let begin: ContinuousClock.Instant
    private var since: ContinuousClock.Instant
    private var interval = 0.1
    private var portsAlone = 0.0
    private let longest: Double
    private let grace: Double
    private let youngest: Double
    private(set) var deaths = 0
    /// An end was seen that no event has told yet.
    var mustLook = false
    /// Since when podman says that the container runs; its events may come late on a busy host.
    private var startedAt: Date?
    var answers: [String] = []

    init(check: ReadinessCheck?, isKept: Bool, begin: ContinuousClock.Instant = .now) {
        self.begin = begin
        since = begin
        longest = min(check?.period ?? 1, 1)
        youngest = isKept ? 0 : 0.5
        // One that has run for long has had its start period; it still gets its retries, at the faster pace.
        let start = isKept ? 0 : (check?.startPeriod ?? 0) + (check?.initialDelay ?? 0)
        let pace = isKept ? min(check?.period ?? 1, 1) : check?.period ?? 1
        grace = start + pace * Double(check?.failureThreshold ?? 1)
    }

    /// A restarted container has its start period again.
    mutating func note(deaths count: Int, last: ContinuousClock.Instant) {
        deaths = count
        since = max(since, last)
    }

    /// Whether the failures are more than retries and start period allow.
    func isExhausted(_ check: ReadinessCheck) -> Bool { (ContinuousClock.now - since).seconds >= grace }

    /// - Parameter text: the time in RFC 3339 from which the container runs; nil while it does not.
    mutating func note(startedAt text: String?) {
        startedAt = text.flatMap { text in
            // To the second: fractions have up to nine digits. Podman writes local time with its offset.
            let zone = text.utf8.last == UInt8(ascii: "Z") ? "Z" : String(decoding: text.utf8.suffix(6), as: UTF8.self)
            return try? Date(String(decoding: text.utf8.prefix(19), as: UTF8.self) + zone, strategy: .iso8601)
        }
    }

    /// Without a health check: it never ended in its first moments, or has stayed up since it did, by the events and by podman's own record.
    var isSettled: Bool {
        if deaths == 0 { return (ContinuousClock.now - begin).seconds >= youngest }
        guard let startedAt, Date().timeIntervalSince(startedAt) >= 4 else { return false }
        return (ContinuousClock.now - since).seconds >= 3
    }

    /// Ports are asked for, which costs nothing: at first every hundredth of a second.
    mutating func askPorts() { (interval, portsAlone) = (0.01, 0.25) }

    /// Whether it is early enough to ask for nothing but ports.
    var asksPorts: Bool { (ContinuousClock.now - begin).seconds < portsAlone }

    /// Asks often at first, then at the check's own pace.
    mutating func nextInterval() -> Double {
        defer { interval = min(interval * 1.5, longest) }
        return interval
    }
}

extension PodDecision {
    fileprivate func hasEnded(_ id: String) -> Bool {
        containers.contains { $0.Id == id && $0.hasEnded && $0.ExitCode == 0 }
    }
}

extension PodmanContainerInspection {
    /// Whether it ended, and podman will not restart it: until that is decided, podman calls it `stopped`.
    fileprivate var hasLastlyEnded: Bool { State.Status == "exited" }
}

extension Podman {
    /// Asks a health check once, no longer than its timeout; nil is a pass, else what it said.
    func probe(_ check: ReadinessCheck, container: String) async throws(CommandFailure) -> String? {
        let command = command(PodmanArguments.exec(container, check.command))
        guard let output = try await command.result(within: .seconds(check.timeout)) else {
            return "no answer within \(check.timeout) s"
        }
        if output.status == 0 { return nil }
        let said = [output.text, output.standardError].joined(separator: " ").split(separator: "\n")
        return "exit code \(output.status)" + (said.last.map { ": \($0)" } ?? "")
    }
}
