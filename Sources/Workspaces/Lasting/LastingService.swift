package import Deployments
import FoundationEssentials
import Glibc
import Runtimes
import YAML

/// The lasting workspaces of projects: one a directory, which its pod has at the same path.
///
/// What runs in it works on the project itself, `.git` included: it is trusted with the project as its owner is. For agents that are not, there are
/// sessions. Every operation can be cut short; the next one goes on from there.
package struct LastingService: Sendable {
    let context: WorkspaceContext
    var deployments: DeploymentService { context.deployments }
    package let store: LastingStore

    package init(_ context: WorkspaceContext, _ deployments: DeploymentService) {
        self.context = context.on(deployments)
        store = LastingStore(state: hostStateDirectory(context.environment))
    }

    /// Brings the project's workspace up where it does not run; one that runs is left as it is.
    ///
    /// - Parameter keepsRunning: whether it goes on when the last terminal leaves; nil: as the definition says.
    package func up(
        _ project: Project, keepsRunning: Bool? = nil, events: @escaping SessionEvents = { _ in }
    ) async throws -> LastingRecord {
        let lock = try await store.lock(project.name, verb: "up") { events(.note("waiting for \($0)")) }
        let record = try await bringUp(project, keepsRunning, events)
        _ = consume lock
        return record
    }

    /// Opens a terminal in the workspace: brings it up where it does not run, and keeps it up until the last terminal has left.
    package func enter(
        _ project: Project, events: @escaping SessionEvents = { _ in }
    ) async throws -> (record: LastingRecord, terminal: OpenTerminal) {
        let lock = try await store.lock(project.name, verb: "shell") { events(.note("waiting for \($0)")) }
        let record = try await bringUp(project, nil, events)
        let terminal = try OpenTerminal(store.terminalsFile(project.name))
        _ = consume lock
        return (record, terminal)
    }

    /// Stops the workspace when nobody has a terminal in it any more and nothing keeps it running. Call it when the terminal is closed.
    ///
    /// - Returns: whether it was stopped.
    package func leave(_ project: Project) async throws -> Bool {
        let lock = try await store.lock(project.name, verb: "shell")
        guard var record = try store.read(project.name), record.state == .running, !record.keepsRunning,
            !KernelLock.isHeld(store.terminalsFile(project.name))
        else { return false }
        try await halt(&record)
        _ = consume lock
        return true
    }

    /// Stops the workspace's pod; home and project stay.
    package func stop(_ project: Project) async throws -> LastingRecord {
        let lock = try await store.lock(project.name, verb: "stop")
        var record = try existing(project)
        try await halt(&record)
        _ = consume lock
        return record
    }

    /// Removes the workspace with its home; the project stays as it is.
    package func destroy(_ project: Project) async throws {
        let name = LastingRecord.namePrefix + project.name
        if try store.read(project.name) == nil, try await removeOrphan(named: name) { return }
        let lock = try await store.lock(project.name, verb: "destroy")
        try await remove(try existing(project))
        _ = consume lock
    }

    func remove(_ record: LastingRecord) async throws {
        var record = record
        record.state = .destroying
        try store.write(record)
        try await deployment(record).stop(Self.removing)
        try store.remove(record.projectName)
    }

    static let removing = StopOptions.withVolumes(graceSeconds: 2)

    private func halt(_ record: inout LastingRecord) async throws {
        var options = StopOptions()
        options.graceSeconds = 2
        record.state = .stopping
        try store.write(record)
        try await deployment(record).stop(options)
        record.state = .stopped
        try store.write(record)
    }

    private func bringUp(
        _ project: Project, _ keepsRunning: Bool?, _ events: @escaping SessionEvents
    ) async throws -> LastingRecord {
        let old = try await healed(project)
        if var old, old.state == .running, try await isUp(old) {
            if let keepsRunning, keepsRunning != old.keepsRunning {
                old.keepsRunning = keepsRunning
                try store.write(old)
            }
            if isOutdated(old) == true {
                events(.note("its definition has changed since it was brought up\nhint: so workspace reprovision"))
            }
            return old
        }
        let plan = try LastingPlan(project, context)
        for note in plan.notes { events(.note(note)) }
        try await context.provide(plan.recipe, of: project, plan.definition) { events(.buildingImage($0)) }
        return try await start(plan, keepsRunning ?? plan.definition.keepsRunning, since: old?.createdAt, events).record
    }

    /// Brings the pod up as planned; one that runs with the same definition stays.
    ///
    /// - Parameter replaces: whether it is replaced nevertheless.
    func start(
        _ plan: LastingPlan, _ keepsRunning: Bool, since: Date?, replaces: Bool = false,
        _ events: @escaping SessionEvents
    ) async throws -> (record: LastingRecord, changed: Bool) {
        var record = plan.record(keepsRunning: keepsRunning, createdAt: since ?? Date())
        if try store.read(record.projectName) == nil { try await stopLeft(named: record.name) }
        try await choosePlaces(&record, plan.definition)
        record.services = plan.services
        try store.write(record)
        let remote = try? await ProjectRepository.open(plan.project.path, host: context.environment).start().remote
        let stack = try await plan.stack(
            record, stateDirectory(record), try await identity(plan.project), keeper: try keeper(), remote: remote
        ) { events(.buildingImage($0)) }
        record.companionImages = stack.part.images
        try store.write(record)
        let opened = try await deployments.open(stack.definition())
        var options = StartOptions()
        (options.replacesAll, options.graceSeconds) = (replaces, 2)
        let result = try await opened.start(options) { events(.pods($0)) }
        record.routes = SessionAddress.routes(result.routes)
        try await opened.reportHostServices(plan.hostServices, gateway: record.addresses?.gateway, events)
        if plan.definition.runsContainers { try await opened.reportContainers(SessionRuntime(), events) }
        if plan.definition.idleTimeout != nil { await WorkspacePod(opened).tellUp() }
        record.state = .running
        try store.write(record)
        return (record, result.changed)
    }

    /// The workspace, with what a killed command left half destroyed gone, and half stopped stopped.
    func healed(_ project: Project) async throws -> LastingRecord? {
        guard var record = try store.read(project.name) else { return nil }
        switch record.state {
        case .destroying:
            try await remove(record)
            return nil
        case .stopping: try await halt(&record)
        case .starting, .running, .stopped: break
        }
        return record
    }

    func existing(_ project: Project) throws -> LastingRecord {
        if let record = try store.read(project.name) { return record }
        throw WorkspaceError(.missing, "\(project.path) has no workspace", hint: "so workspace makes one")
    }

    func stateDirectory(_ record: LastingRecord) -> String { store.directory(record.projectName) + "/deployment" }

    /// The workspace's deployment as its labels know it: for all but bringing it up.
    package func deployment(_ record: LastingRecord) throws -> OpenDeployment {
        var stack = WorkspaceStack(
            name: record.name, owner: "the workspace of \(record.project)", stateDirectory: stateDirectory(record),
            image: record.image ?? "none", user: record.user)
        stack.keeper = try keeper()
        for service in record.services ?? [] { stack.part.services[service] = .map([("image", .string("none"))]) }
        return try deployments.read(stack.definition())
    }

    func isUp(_ record: LastingRecord) async throws -> Bool {
        try await deployment(record).status().contains {
            $0.service == StackPart.agentService && $0.state == .running
        }
    }

    /// Networks and token: those that it had, or new ones that no other workspace and no session has.
    private func choosePlaces(_ record: inout LastingRecord, _ definition: WorkspaceDefinition) async throws {
        let old = try store.read(record.projectName)
        let isUp = if let old { try await isUp(old) } else { false }
        let sessions = SessionStore(state: hostStateDirectory(context.environment))
        let lock = try await sessions.lockPorts()
        let open = try sessions.all().filter { $0.state != .closed }
        let others = try store.all().filter { $0.projectName != record.projectName }
        record.ports = try SessionService.hostPorts(
            of: definition.ports, had: old?.ports ?? [:], isUp: isUp,
            besides: Set(open.flatMap(\.ports.values) + others.flatMap { ($0.ports ?? [:]).values }))
        record.addresses = try old?.addresses ?? sessions.freeAddresses()
        record.token = try old?.token ?? SessionAddresses.randomToken()
        try store.write(record)
        _ = consume lock
    }

    /// Commits in the workspace are the user's own.
    private func identity(_ project: Project) async throws -> GitIdentity? {
        try? await ProjectRepository.open(project.path, host: context.environment).identity()
    }
}
