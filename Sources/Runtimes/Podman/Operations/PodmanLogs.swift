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
            podman: podman, events: containerEvents, deployment: deployment.id, workloads: workloads, request: request,
            line: line)
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
    let events: PodmanEvents
    let deployment: String
    /// Empty: all.
    let workloads: Set<String>
    let request: LogRequest
    let line: @Sendable (LogLine) async -> Void

    private func containers() async throws -> [PodmanContainerRecord] {
        let all = try await podman.containers(of: deployment)
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
                        try await readWhatIsThere(container) { await merger.add($0, from: container.Id) }
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

    /// Hands out what a container has written, the last lines of it where they were asked for, and returns the time of the last one.
    ///
    /// Up to podman 4.6, `--tail` joins the wrong parts of lines that were written in pieces, so it is given up to read all:
    /// https://github.com/containers/podman/issues/19545
    @discardableResult
    private func readWhatIsThere(
        _ container: PodmanContainerRecord, _ body: @escaping @Sendable (LogLine) async -> Void
    ) async throws -> String? {
        let selection = LogSelection(since: request.since, until: request.until)
        guard let tail = request.tail else { return try await read(container, selection, body) }
        let kept = LastLines(limit: tail)
        let last = try await read(container, selection) { await kept.add($0) }
        for line in await kept.lines { await body(line) }
        return last
    }

    /// Hands out the lines of one container and returns the time of the last one.
    @discardableResult
    private func read(
        _ container: PodmanContainerRecord, _ selection: LogSelection,
        _ body: @escaping @Sendable (LogLine) async -> Void
    ) async throws -> String? {
        let last = LastTime()
        let order = LineOrder(holds: !selection.follow)
        let command = podman.command(PodmanArguments.logs(container.Id, selection))
        let status = try await command.lines { (stream, text) throws(CommandFailure) in
            guard let parts = LogTime.split(text) else { return }
            await last.set(parts.last)
            for line in await order.add(LogLine(parts, container, isError: stream == .standardError)) {
                await body(line)
            }
        }
        for line in await order.rest() { await body(line) }
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
                await events.follow(podman, ["start"], deployment: deployment, since: since) { _ in announce.yield() }
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
            attached[container.Id] = .some(nil)
            group.addTask {
                var resumed = await times.last(container.Id)
                if isFirst, request.tail != 0 || !isRunning {
                    resumed = try await readWhatIsThere(container, line)
                    if let resumed { await times.set(container.Id, resumed) }
                    guard isRunning else { return .log(container.Id) }
                }
                let selection = LogSelection(
                    follow: true, tail: isFirst && request.tail == 0 ? 0 : nil,
                    since: resumed ?? (isFirst ? request.since : nil))
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

private actor LastLines {
    private var kept: [LogLine] = []
    private let limit: Int

    init(limit: Int) {
        self.limit = max(0, limit)
    }

    func add(_ line: LogLine) {
        kept.append(line)
        // Cut now and then: what is cut off moves the rest.
        if kept.count > 1000, kept.count / 2 > limit { kept.removeFirst(kept.count - limit) }
    }

    var lines: ArraySlice<LogLine> { kept.suffix(limit) }
}

private actor LastTime {
    private(set) var time: String?
    func set(_ time: String) { self.time = max(self.time ?? "", time) }
}

/// Puts the lines of one container in order: podman hands out standard output and standard error apart, one of them ahead by what fits
/// into its pipe.
actor LineOrder {
    /// More lines than two pipes and their readers hold.
    private static let window = 8192
    private var held: [(line: LogLine, number: Int)] = []
    private var number = 0
    private let holds: Bool

    /// - Parameter holds: whether lines may wait; who follows wants each at once.
    init(holds: Bool) { self.holds = holds }

    /// The lines that nothing can come before any more.
    func add(_ line: LogLine) -> [LogLine] {
        guard holds else { return [line] }
        number += 1
        held.append((line, number))
        guard held.count >= 2 * Self.window else { return [] }
        sort()
        defer { held.removeFirst(Self.window) }
        return held.prefix(Self.window).map(\.line)
    }

    func rest() -> [LogLine] {
        sort()
        defer { held = [] }
        return held.map(\.line)
    }

    private func sort() { held.sort { ($0.line.time, $0.number) < ($1.line.time, $1.number) } }
}

private actor LastTimes {
    private var times: [String: String] = [:]
    func set(_ container: String, _ time: String) { times[container] = time }
    func last(_ container: String) -> String? { times[container] }
}

extension LogLine {
    fileprivate init(_ parts: LogTime.Parts, _ container: PodmanContainerRecord, isError: Bool) {
        self.init(
            service: container.label(PodmanNames.workload) ?? container.name,
            replica: container.label(PodmanNames.replica).flatMap(Int.init) ?? 1,
            container: container.label(PodmanNames.container) ?? container.name, isError: isError, time: parts.time,
            text: parts.text)
    }
}

/// The times that `podman logs --timestamps` writes before each part of a line that was written in pieces, in the midst of the line.
enum LogTime {
    struct Parts {
        /// When the line began.
        var time: String
        /// When its last part was written.
        var last: String
        /// The line without any time.
        var text: String
    }

    /// Takes a line apart; nil for what podman itself says.
    static func split(_ line: String) -> Parts? {
        let time = line.prefix { $0 != " " }
        guard time.count >= 20, time.first?.isNumber == true, time.contains("T") else { return nil }
        return removed(from: line.dropFirst(time.count + 1), after: String(time))
    }

    /// Cuts out every such time. A program's own times in the line precede that at which the line was taken down, and stay.
    ///
    /// - Parameter time: that of the line itself.
    private static func removed(from text: Substring, after time: String) -> Parts {
        let bytes = Array(text.utf8)
        guard let start = moment(Array(time.utf8)[...]), bytes.count > shortest else {
            return Parts(time: time, last: time, text: String(text))
        }
        var result: [UInt8] = []
        var last = time
        var index = 0
        while index < bytes.count {
            if bytes.count - index > shortest, bytes[index + 10] == UInt8(ascii: "T"),
                let end = bytes[index...].prefix(longest).firstIndex(of: UInt8(ascii: " ")),
                let found = moment(bytes[index..<end]), found.zone == start.zone, found >= start
            {
                last = String(decoding: bytes[index..<end], as: UTF8.self)
                index = end + 1
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return Parts(time: time, last: last, text: String(decoding: result, as: UTF8.self))
    }

    private static let shortest = "2026-11-22T18:06:33.390322Z".utf8.count
    private static let longest = "2026-11-22T18:06:33.390322196+00:00 ".utf8.count

    private struct Moment: Comparable {
        var seconds: [UInt8]
        var fraction: [UInt8]
        var zone: [UInt8]

        static func < (left: Moment, right: Moment) -> Bool {
            if left.seconds != right.seconds { return left.seconds.lexicographicallyPrecedes(right.seconds) }
            return left.fraction.lexicographicallyPrecedes(right.fraction)
        }
    }

    /// RFC 3339 with a fraction of six to nine digits: a time of day that a program plans for is a whole second.
    private static func moment(_ bytes: ArraySlice<UInt8>) -> Moment? {
        let pattern = Array("0000-00-00T00:00:00.".utf8)
        guard bytes.count > pattern.count else { return nil }
        for (byte, wanted) in zip(bytes, pattern) {
            guard wanted == UInt8(ascii: "0") ? isDigit(byte) : byte == wanted else { return nil }
        }
        let rest = bytes.dropFirst(pattern.count)
        let fraction = Array(rest.prefix(while: isDigit))
        let zone = Array(rest.dropFirst(fraction.count))
        guard (6...9).contains(fraction.count), zone == [UInt8(ascii: "Z")] || zone.count == 6 else { return nil }
        return Moment(seconds: Array(bytes.prefix(19)), fraction: fraction, zone: zone)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
