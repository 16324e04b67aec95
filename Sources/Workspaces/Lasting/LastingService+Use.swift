import Deployments
package import ExternalTools
import Runtimes

extension LastingService {
    /// Runs a command in the project's folder on the caller's streams; returns its exit code.
    package func exec(
        _ record: LastingRecord, _ command: [String], on streams: CommandStreams, tty: Bool, term: String? = nil
    ) async throws -> Int {
        var request = ExecRequest(service: StackPart.agentService, command: [], interactive: true, tty: tty)
        request.command = command
        request.workingDirectory = record.project
        if tty { request.environment = ["TERM=\(SessionService.known(term))"] }
        return try await deployment(record).handle.exec(request, on: streams)
    }

    /// Runs a shell in the project's folder on the caller's terminal; returns its exit code.
    package func shell(_ record: LastingRecord, on streams: CommandStreams, term: String?) async throws -> Int {
        try await exec(record, SessionService.shellCommand, on: streams, tty: true, term: term)
    }

    /// Builds the image again where its inputs have changed, and replaces a pod that runs with another definition. Where the build fails, the old
    /// pod runs on.
    ///
    /// - Parameter updates: build it with the newest base image and packages, whether its inputs have changed or not.
    /// - Returns: whether anything was changed.
    package func reprovision(
        _ project: Project, updates: Bool, events: @escaping SessionEvents = { _ in }
    ) async throws -> Bool {
        let lock = try await store.lock(project.name, verb: "reprovision") { events(.note("waiting for \($0)")) }
        _ = try await healed(project)
        let old = try existing(project)
        let plan = try LastingPlan(project, context)
        let images = context.images(try ImageEngine.find(environment: context.environment))
        let before = try await images.engine.imageID(plan.recipe.tag)
        if updates || before == nil {
            try await context.provide(plan.recipe, of: project, plan.definition, updates: updates) {
                events(.buildingImage($0))
            }
        }
        let isNewImage = try await images.engine.imageID(plan.recipe.tag) != before
        var changed = isNewImage
        if try await isUp(old) {
            changed = try await start(plan, old.keepsRunning, since: old.createdAt, replaces: isNewImage, events)
                .changed
        }
        _ = consume lock
        return changed
    }

    /// How the project's workspace stands; nil where it has none.
    package func status(_ project: Project) async throws -> LastingStatus? {
        guard let record = try store.read(project.name) else { return nil }
        return try await status(record)
    }

    /// Every workspace of this user with how it stands.
    package func list() async throws -> [LastingStatus] {
        try await withThrowingTaskGroup(of: LastingStatus.self) { group in
            for record in try store.all() { group.addTask { try await status(record) } }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.record.name < $1.record.name }
        }
    }

    private func status(_ record: LastingRecord) async throws -> LastingStatus {
        LastingStatus(
            record: record, condition: try await condition(record),
            isInUse: KernelLock.isHeld(store.terminalsFile(record.projectName)), isOutdated: isOutdated(record))
    }

    private func condition(_ record: LastingRecord) async throws -> LastingStatus.Condition {
        if store.isLocked(record.projectName) { return .changing }
        switch record.state {
        case .starting, .stopping, .destroying: return .interrupted
        case .stopped: return .stopped
        case .running: return try await isUp(record) ? .running : .stopped
        }
    }

    /// Nil where the definition cannot be read.
    func isOutdated(_ record: LastingRecord) -> Bool? {
        guard let project = try? Project(record.project), let plan = try? LastingPlan(project, context) else {
            return nil
        }
        return plan.digest != record.definition
    }
}
