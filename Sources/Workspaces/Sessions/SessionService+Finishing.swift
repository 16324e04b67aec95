import AgentLoop
import Deployments
import ExternalTools
import FoundationEssentials
import Runtimes

/// How a session ended: where its work is now.
package struct SessionEnd: Sendable {
    package var record: SessionRecord
    package var outcome: Delivery.Outcome?
    /// What could not be done; the session is not closed while there is any.
    package var problems: [String]
}

extension SessionService {
    /// Brings a session's work home and takes the session down: collect, then keep, merge or discard, stop, delete what can be deleted, close.
    ///
    /// A step that fails does not keep the later ones from what they can do without it, and nothing is deleted before its work is safe. Called again,
    /// it goes on where it was. Work that is refused leaves the session stopped, with its volumes.
    ///
    /// - Parameters:
    ///   - policy: what somebody asks for now; nil: what the record says, and then work of an agent that failed, or that changes what decides over the
    ///     next session, is not merged.
    ///   - dropsRefused: the session is closed also where its work is refused and goes with it, or cannot be brought out and stays in its volumes:
    ///     somebody has asked for that.
    package func finish(
        _ record: SessionRecord, _ policy: ExitPolicy? = nil, dropsRefused: Bool = false,
        events: @escaping SessionEvents = { _ in }
    ) async throws -> SessionEnd {
        try await finish(record, policy, dropsRefused: dropsRefused, where: { _ in true }, events: events)
    }

    /// - Parameter isMeant: asked once nobody else changes the session; where it says no, nothing is done.
    private func finish(
        _ record: SessionRecord, _ policy: ExitPolicy? = nil, dropsRefused: Bool = false,
        where isMeant: (SessionRecord.State) -> Bool, events: @escaping SessionEvents
    ) async throws -> SessionEnd {
        let lock = try await store.lock(record.id, verb: "finish")
        var record = try store.read(record.id)
        guard record.state != .closed, isMeant(record.state) else {
            return SessionEnd(record: record, outcome: nil, problems: [])
        }
        record.onExit = policy ?? record.onExit ?? .keep
        record.problems = []
        var isLost = false
        do {
            if record.state != .finishing { try await collect(&record, events) }
        } catch let error as WorkspaceError where error.code == .refused {
            guard dropsRefused else {
                try await setAside(&record, error)
                throw error
            }
            record.problems.append("its work was not kept: \(error.message)")
            try advance(&record, to: .finishing)
        } catch let error as WorkspaceError where error.code == .failed && dropsRefused {
            record.problems.append("its work could not be brought out: \(error.message)")
            isLost = true
        }
        events(.delivering)
        let outcome = await deliver(&record, isAsked: policy != nil)
        events(.removing)
        try await takeDown(&record, leavesVolumes: isLost, dropsRest: dropsRefused)
        _ = consume lock
        return SessionEnd(record: record, outcome: outcome, problems: record.problems)
    }

    /// Ends the agent and brings its work into the store.
    private func collect(_ record: inout SessionRecord, _ events: @escaping SessionEvents) async throws {
        events(.collecting)
        let wasMade = record.image != nil && record.state != .created && record.state != .cloning
        try advance(&record, to: .collecting)
        guard wasMade else { return try advance(&record, to: .finishing) }
        let problems = record.problems
        do {
            try await gather(&record, events)
        } catch {
            // A pod that nobody used ends by itself, also while it is being looked into: one that only waits takes its place.
            try Task.checkCancellation()
            guard try await !isUp(record) else { throw error }
            record.problems = problems
            try await gather(&record, events)
        }
        try advance(&record, to: .finishing)
    }

    /// Asks the pod, or one that only waits where the session's own is stopped, for all that is kept of it.
    private func gather(_ record: inout SessionRecord, _ events: @escaping SessionEvents) async throws {
        let before = record
        // Each look into a pod takes a while: those that wait for nothing are taken together.
        async let up = isUp(before)
        await keepEgress(&record)
        if try await !up { try await wake(record, events) }
        async let log: Void = keepLog(before)
        if record.result == nil, let code = try await agentExit(record) { record.result = await result(record, code) }
        await log
        let pod = WorkspacePod(try deployment(record))
        if try await stopsWithCheckout(record, pod) { record.collected = try await snapshot(record, pod) }
    }

    /// Stops a session whose work is refused: tried again it would be refused again, and its pods would run for ever.
    private func setAside(_ record: inout SessionRecord, _ error: WorkspaceError) async throws {
        try await stopPods(record)
        record.problems = [error.message]
        try advance(&record, to: .stopped)
    }

    /// How an agent that nobody followed has ended: by its own words, where it has any.
    private func result(_ record: SessionRecord, _ exitCode: Int) async -> AgentResult {
        guard record.prompt != nil, let format = try? finder.output(of: record.agent) else {
            return AgentResult(exitCode: exitCode)
        }
        let reader = EventReader(format)
        do {
            _ = await reader.read(try await logEnd(record))
        } catch {
            return AgentResult(exitCode: exitCode)
        }
        _ = await reader.readRest()
        return await reader.result(exitCode)
    }

    /// A pod that runs, so that its volumes can be read: one that only waits where the session's own is stopped.
    private func wake(_ record: SessionRecord, _ events: @escaping SessionEvents) async throws {
        let user = record.user ?? PodUser(user: 1000, group: 1000)
        var stack = try stack(record, image: record.image ?? "", user: user)
        stack.isIdle = true
        stack.scripts = [
            "main": Array(RunScript.idle.utf8), "stop": Array("exit 0\n".utf8),
        ]
        try await deployments.open(stack.definition()).start { events(.pods($0)) }
    }

    /// Ends what runs in the pod. A session that was cut short before its clone was finished has nothing to lose.
    ///
    /// - Returns: whether there is a checkout.
    /// - Throws: where the pod does not say: then nothing is known of the work.
    private func stopsWithCheckout(_ record: SessionRecord, _ pod: some PodShell) async throws -> Bool {
        let mark = "\(checkout(record).directory)/.git/so-ready"
        let output = try await pod.capture(
            ["sh", "-c", Self.stopping, "so-stop", "\(PodPaths.scripts)/stop", mark, PodPaths.run],
            limit: 1 << 20, silence: .seconds(60), what: "word that the agent has ended")
        return try Self.hasCheckout(output, record)
    }

    private static let stopping = """
        sh "$1" >/dev/null
        if [ -e "$2" ] || [ -e "$3/started" ]; then echo checkout; else echo none; fi
        """

    /// What the pod said of its checkout. A program that ended in any other way has said nothing: the pod may have died under it.
    static func hasCheckout(_ output: CommandOutput, _ record: SessionRecord) throws(WorkspaceError) -> Bool {
        switch (output.status, output.text) {
        case (0, "checkout"): return true
        case (0, "none"): return record.hasRun == true
        default:
            throw WorkspaceError(
                .failed,
                "the pod of session \(record.id) does not say whether there is work (exit code \(output.status))",
                cause: output.standardError, hint: "so session finish \(record.id) tries again; nothing is deleted")
        }
    }

    /// Brings the work as it is now into the store; the agent may be at work.
    package func snapshot(_ record: SessionRecord, _ pod: WorkspacePod? = nil) async throws -> CollectionSummary {
        let pod = try pod ?? WorkspacePod(deployment(record))
        return try await CollectedStore(stores(record)).collect(
            checkout(record), from: pod, base: record.base ?? "", copied: record.copied)
    }

    /// Brings the work of a session that is over to the project again: it was discarded, or the project was not there.
    ///
    /// - Throws: ``WorkspaceError`` (`missing`) where nothing is kept of it any more.
    package func deliverAgain(_ record: SessionRecord, _ policy: ExitPolicy) async throws -> SessionEnd {
        let lock = try await store.lock(record.id, verb: "finish")
        var record = try store.read(record.id)
        guard record.state == .closed, record.collected != nil,
            try await !CollectedStore(stores(record)).references(of: record.id).isEmpty
        else {
            throw WorkspaceError(.missing, "session \(record.id) is over, and nothing is kept of its work")
        }
        (record.onExit, record.problems) = (policy, [])
        let outcome = await deliver(&record, isAsked: true)
        try store.write(record)
        _ = consume lock
        return SessionEnd(record: record, outcome: outcome, problems: record.problems)
    }

    private func deliver(_ record: inout SessionRecord, isAsked: Bool) async -> Delivery.Outcome? {
        guard record.onExit != .discard, record.collected != nil else { return nil }
        do {
            return try await bringHome(record, isAsked: isAsked)
        } catch {
            // The work is safe in the store: a project that has gone away does not keep its pods.
            var why = "\(error)"
            if var own = error as? WorkspaceError {
                own.hint = nil
                why = own.description
            }
            record.problems.append(
                "the work is kept by so, and not in \(record.project): \(why)\nhint: so session finish \(record.id) brings it there, once that is fixed"
            )
            return nil
        }
    }

    private func bringHome(_ record: SessionRecord, isAsked: Bool) async throws -> Delivery.Outcome {
        let repository = try await repository(at: record.project)
        // Sessions that end at once move one branch: the next one begins where the last one left it.
        let lock = try await stores(record).lock("\(stores(record).directory)/delivery")
        let delivery = Delivery(record.id, from: CollectedStore(stores(record)), to: repository)
        let outcome: Delivery.Outcome
        if record.onExit != .merge {
            outcome = try await delivery.keep()
        } else if !isAsked, record.result?.isFailure == true {
            outcome = try await delivery.keep(insteadOfMerging: "the agent failed, so that its work is not merged")
        } else if let branch = record.baseBranch {
            outcome = try await delivery.merge(
                into: branch, withholding: isAsked ? nil : definingFiles(record, in: repository))
        } else {
            outcome = try await delivery.keep(insteadOfMerging: "the session began at no branch")
        }
        _ = consume lock
        return outcome
    }

    /// - Parameters:
    ///   - leavesVolumes: nothing is known of what is in them.
    ///   - dropsRest: the session is closed although its volumes stay.
    private func takeDown(_ record: inout SessionRecord, leavesVolumes: Bool, dropsRest: Bool) async throws {
        var options = StopOptions()
        let incomplete = record.collected?.incomplete ?? []
        let isSafe = incomplete.isEmpty && !leavesVolumes
        options.deleteVolumes = isSafe
        options.deleteNamespace = isSafe && record.place.hasNamespaces
        options.graceSeconds = 2
        record.problems += incomplete.map { "not collected, so the session's volume stays: \($0)" }
        if record.image != nil {
            if !isSafe { record.left = try await deployment(record).volumes() }
            try await deployment(record).stop(options)
        }
        guard isSafe || dropsRest else { return try advance(&record, to: .stopped) }
        if let left = record.left, !left.isEmpty {
            record.problems.append("what was not brought out stays in \(left.joined(separator: ", "))")
        }
        try await BaseStore(stores(record)).release(record.id)
        try Files.remove(store.directory(of: record.id))
        record.closedAt = Date()
        try advance(&record, to: .closed)
    }

    /// Goes on where commands were killed: finishes what was being finished, takes back what was being started and has no agent yet.
    ///
    /// - Parameter failed: told of each session that cannot be finished now; it keeps nobody from the others.
    /// - Returns: the sessions that were closed by it.
    @discardableResult
    package func takeUp(
        events: @escaping SessionEvents = { _ in }, failed: (SessionRecord, any Error) -> Void = { _, _ in }
    ) async throws -> [SessionRecord] {
        var taken: [SessionRecord] = []
        do {
            try await AbandonedBuilds(store: store, deployments: deployments).remove()
        } catch {
            // It keeps nobody from their sessions, and is listed as long as it is there.
            try Task.checkCancellation()
        }
        for record in try store.all() where !store.isLocked(record.id) {
            do {
                if let record = try await takeUp(record, events) { taken.append(record) }
            } catch {
                try Task.checkCancellation()
                failed(record, error)
            }
        }
        return taken
    }

    private func takeUp(_ record: SessionRecord, _ events: @escaping SessionEvents) async throws -> SessionRecord? {
        // Another command may have gone on with it since the records were read.
        let isSame = { (state: SessionRecord.State) in state == record.state }
        switch record.state {
        case .collecting, .finishing, .created, .cloning:
            let end = try await finish(record, where: isSame, events: events)
            return isSame(end.record.state) || end.record.state == .closed ? end.record : nil
        case .starting:
            return try await adopt(record) ? nil : finish(record, where: isSame, events: events).record
        case .resuming:
            if try await !adopt(record) { try await backToStopped(record) }
            return nil
        case .stopping:
            try await backToStopped(record)
            return nil
        case .running:
            _ = try await stopIdle(record)
            return nil
        case .pooled, .stopped, .closed: return nil
        }
    }

    /// A resume that was killed has changed nothing of the work: the session is stopped again. So is one whose stop was killed.
    private func backToStopped(_ record: SessionRecord) async throws {
        let lock = try await store.lock(record.id, verb: "resume")
        var record = try store.read(record.id)
        guard [.resuming, .stopping].contains(record.state) else { return }
        try await stopPods(record)
        try advance(&record, to: .stopped)
        _ = consume lock
    }

    /// A start that was killed may have come as far as its agent: then the session runs.
    private func adopt(_ record: SessionRecord) async throws -> Bool {
        let lock = try await store.lock(record.id, verb: "ls")
        var record = try store.read(record.id)
        guard [.starting, .resuming].contains(record.state) else { return true }
        guard try await isUp(record) else { return false }
        // Elsewhere a pod is ready while it waits for its session.
        if !record.place.mountsHost, record.poolKey == nil, try await !isClaimed(record) { return false }
        let started = ["test", "-e", "\(PodPaths.run)/ready"]
        guard try await WorkspacePod(deployment(record)).capture(started).status == 0 else { return false }
        // Nobody works in a pod of the pool before its session has begun.
        let begun = ["test", "-e", "\(PodPaths.run)/started"]
        if try await WorkspacePod(deployment(record)).capture(begun).status == 0 { record.poolKey = nil }
        if record.poolKey == nil { await tellUp(record) }
        try advance(&record, to: record.poolKey == nil ? .running : .pooled)
        _ = consume lock
        return true
    }
}

extension SessionService {
    /// What a session has changed since it began, as git shows it; a session that runs is looked at as it is now.
    package func diff(_ record: SessionRecord, stat: Bool) async throws -> String {
        if record.state == .running, try await isUp(record) { _ = try await snapshot(record) }
        let store = CollectedStore(stores(record))
        let all = try await store.references(of: record.id)
        guard let tip = all["\(record.id.references)wip"] ?? all["\(record.id.references)HEAD"] else { return "" }
        return try await store.diff(from: record.base ?? tip, to: tip, stat: stat)
    }
}
