import OrderedCollections
package import Runtimes
import Specs
import YAML

/// How a deployment is brought up to its stack's source; paths are as the user has written them.
package struct SourceUpdate: Sendable {
    /// The spec to take over; a relative path may start at the top of the stack's repository, too.
    package var specFile: String?
    /// The stack's directory; nil: where it came from.
    package var stackPath: String?
    /// Whether the stack's clone, and those of its pods, are brought forward.
    package var pulls = true
    /// The image that a service runs from now on, by its name; empty: that of the files again.
    package var images: [(service: String, image: String)] = []
    /// Whether host names that are new are looked up.
    package var checksHosts = true
    /// The address that they must lead to; nil: this host's.
    package var expectedAddress: String?
    /// Whether pods are replaced that did not change.
    package var replacesAll = false
    package var graceSeconds: Int?

    package init() {}
}

extension DeploymentService {
    /// Takes over what changed in the stack's source, and applies it.
    @discardableResult
    package func update(
        _ directory: DeploymentDirectory, _ update: SourceUpdate, events: @escaping DeploymentEventHandler = { _ in }
    ) async throws -> StartResult {
        try await locked(directory, verb: "deployment restart", events: events) {
            if try directory.project() == nil { try await takeOver(update, in: directory, events) }
            let deployment = try await openWithImages(directory, update)
            deployment.warnings.tell(events)
            if update.checksHosts { try await deployment.warnOfHosts(update.expectedAddress, events) }
            return try await deployment.start(update.options(for: deployment), events: events)
        }
    }

    /// What ``update(_:_:events:)`` would do; the source is not pulled.
    package func preview(
        _ directory: DeploymentDirectory, _ update: SourceUpdate, events: @escaping DeploymentEventHandler = { _ in }
    ) async throws -> UpdatePreview {
        guard try directory.project() == nil else {
            return UpdatePreview(plan: try await plan(directory, update, events))
        }
        var preview = UpdatePreview(plan: Plan())
        if update.pulls { preview.pulled = await workTree(of: source(update, directory)) }
        if let request = try await updateRequest(update, directory, events) {
            preview.files = try directory.changes(prepareDirectory(request).contents, tree: request.tree)
        }
        preview.plan = try await plan(directory, update, events)
        return preview
    }

    /// What the start of an update would do with the files as they are.
    private func plan(
        _ directory: DeploymentDirectory, _ update: SourceUpdate, _ events: DeploymentEventHandler
    ) async throws -> Plan {
        let deployment = try await open(update.choosing(in: directory))
        try update.requireServices(deployment.loaded.project.environment.keys)
        deployment.warnings.tell(events)
        return try await deployment.handle.plan(update.options(for: deployment)).summary
    }

    /// Keeps the chosen images, and opens the deployment with them; those before stay where that fails.
    private func openWithImages(
        _ directory: DeploymentDirectory, _ update: SourceUpdate
    ) async throws -> DirectoryDeployment {
        let before = try directory.imageRecords()
        if !update.images.isEmpty { try directory.record(update.choosing(in: directory).imageRecords()) }
        do {
            let deployment = try await open(directory, allocatesPorts: true)
            try update.requireServices(deployment.loaded.project.environment.keys)
            return deployment
        } catch {
            try directory.record(before)
            throw error
        }
    }
}

extension SourceUpdate {
    /// The directory with the chosen images, which are written down nowhere.
    fileprivate func choosing(in directory: DeploymentDirectory) -> DeploymentDirectory {
        var directory = directory
        for (service, image) in images { directory.askedImages[service] = image }
        return directory
    }

    fileprivate func requireServices(_ services: some Collection<String>) throws(DeploymentError) {
        for (service, _) in images where !services.contains(service) {
            throw DeploymentError(
                .missing, "--image: no service \(service)",
                hint: "the services are \(services.joined(separator: ", "))")
        }
    }

    fileprivate func options(for deployment: DirectoryDeployment) -> StartOptions {
        var options = StartOptions()
        options.replacesAll = replacesAll
        options.replacesEnded = deployment.handle.model.isProject
        options.graceSeconds = graceSeconds
        options.maintenance = deployment.loaded.spec.maintenanceService?.value
        return options
    }
}

extension DirectoryDeployment {
    /// Warns of host names that do not lead here; those that do are not asked for again.
    fileprivate func warnOfHosts(_ expected: String?, _ events: DeploymentEventHandler) async throws {
        let hosts = loaded.spec.network.httpProxies.map(\.hostName)
        let known = try directory.verifiedHosts()
        let new = hosts.filter { !known.contains($0) || expected != nil }
        guard !new.isEmpty, expected != nil || !loaded.spec.ties.isElsewhere else { return }
        let problems = await HostNames(expected: expected.map { [$0] }).problems(new)
        for problem in new.compactMap({ problems[$0] }) {
            events(.runtime(Event(nil, .note(.init(.warning, at: nil, "http-proxy: \(problem)")))))
        }
        try directory.record(verifiedHosts: hosts.filter { problems[$0] == nil })
    }
}
