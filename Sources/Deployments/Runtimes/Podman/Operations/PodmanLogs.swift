import ExternalTools
import FoundationEssentials
import Rendering

extension PodmanRuntime {
    package func logs(
        _ deployment: DeploymentModel, _ request: LogRequest, line: @escaping @Sendable (LogLine) async -> Void
    ) async throws(DeploymentError) {
        var workloads: Set<String> = []
        for service in request.services { workloads.insert(try deployment.workload(named: service).name) }
        let operation = LogOperation(
            podman: podman, deployment: deployment.id, workloads: workloads, request: request, line: line)
        do {
            try await request.follow ? operation.follow() : operation.printAll()
        } catch {
            throw DeploymentError(podman: commandFailure(error))
        }
    }
}

/// Reads the logs of several containers as one.
struct LogOperation: Sendable {
    let podman: Podman
    let deployment: String
    /// Empty: all.
    let workloads: Set<String>
    let request: LogRequest
    let line: @Sendable (LogLine) async -> Void

    private func containers() async throws -> [PodmanContainerRecord] {
        let all = try await podman.records(
            PodmanContainerRecord.self, PodmanArguments.containers(label: PodmanNames.deployment, value: deployment))
        return all.filter { container in
            guard container.IsInfra != true, let workload = container.label(PodmanNames.workload) else { return false }
            return container.State != "created" && (workloads.isEmpty || workloads.contains(workload))
        }.sorted { $0.name < $1.name }
    }

    // MARK: What there is

    /// Every line, in the order of time: the containers' logs, each in order by itself, are merged line by line.
    func printAll() async throws {
        let containers = try await containers()
        let merger = LogMerger(sources: containers.map(\.Id))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for container in containers {
                group.addTask {
                    do {
                        try await read(container, LogSelection(tail: request.tail, since: request.since)) {
                            await merger.add($0, from: container.Id)
                        }
                    } catch {
                        await merger.end(container.Id)
                        throw error
                    }
                    await merger.end(container.Id)
                }
            }
            group.addTask {
                while let next = await merger.next() { await line(next) }
            }
            try await group.waitForAll()
        }
    }

    /// Hands out the lines of one container and returns the time of the last one.
    @discardableResult
    private func read(
        _ container: PodmanContainerRecord, _ selection: LogSelection,
        _ body: @escaping @Sendable (LogLine) async -> Void
    ) async throws -> String? {
        let last = LastTime()
        let command = podman.command(PodmanArguments.logs(container.Id, selection))
        let status = try await command.lines { (stream, text) throws(CommandFailure) in
            guard let parsed = LogLine(text, container, isError: stream == .standardError) else { return }
            await last.set(parsed.time)
            await body(parsed)
        }
        // A container that was replaced meanwhile has said all that it will.
        _ = status
        return await last.time
    }

    // MARK: What comes

    /// Lines as they come, also those of containers that are restarted, replaced or added, until nothing runs any more.
    func follow() async throws {
        let since = Int(Date().timeIntervalSince1970)
        let (starts, announce) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await withThrowingTaskGroup(of: Finished.self) { group in
            group.addTask {
                await podman.followEvents(["start"], deployment: deployment, since: since) { _ in announce.yield() }
                announce.finish()
                return .watcher
            }
            var attached: [String: String?] = [:]
            try await attach(to: &attached, in: &group, isFirst: true)
            group.addTask { await nextStart(starts) }
            while !attached.isEmpty, let finished = try await group.next() {
                switch finished {
                case .watcher: continue
                case .started: group.addTask { await nextStart(starts) }
                case .log(let id): attached[id] = nil
                }
                try await attach(to: &attached, in: &group, isFirst: false)
            }
            group.cancelAll()
        }
    }

    private enum Finished: Sendable {
        case watcher
        case started
        case log(String)
    }

    private func nextStart(_ starts: AsyncStream<Void>) async -> Finished {
        for await _ in starts { return .started }
        return .watcher
    }

    /// Follows every container that runs and is not followed yet; at first also those that have ended.
    private func attach(
        to attached: inout [String: String?], in group: inout ThrowingTaskGroup<Finished, any Error>, isFirst: Bool
    ) async throws {
        for container in try await containers() where attached.index(forKey: container.Id) == nil {
            let isRunning = container.State == "running"
            guard isFirst || isRunning else { continue }
            let resumed = await times.last(container.Id)
            let selection = LogSelection(
                follow: isRunning, tail: isFirst ? request.tail : nil, since: resumed ?? (isFirst ? request.since : nil)
            )
            attached[container.Id] = .some(nil)
            group.addTask {
                let last = try await read(container, selection) { [resumed] in
                    // Podman's `--since` includes the moment itself, whose line has been handed out.
                    if let resumed, $0.time <= resumed { return }
                    await line($0)
                }
                if let last { await times.set(container.Id, last) }
                return .log(container.Id)
            }
        }
    }

    private let times = LastTimes()
}

private actor LastTime {
    private(set) var time: String?
    func set(_ time: String) { self.time = time }
}

private actor LastTimes {
    private var times: [String: String] = [:]
    func set(_ container: String, _ time: String) { times[container] = time }
    func last(_ container: String) -> String? { times[container] }
}

extension LogLine {
    /// Splits `2026-11-22T07:51:35.123456789+00:00 text`; nil for what podman itself says.
    init?(_ text: String, _ container: PodmanContainerRecord, isError: Bool) {
        let time = text.prefix { $0 != " " }
        guard time.count >= 20, time.first?.isNumber == true, time.contains("T") else { return nil }
        self.init(
            service: container.label(PodmanNames.workload) ?? container.name,
            replica: container.label(PodmanNames.replica).flatMap(Int.init) ?? 1,
            container: container.label(PodmanNames.container) ?? container.name, isError: isError, time: String(time),
            text: String(text.dropFirst(time.count + 1)))
    }
}
