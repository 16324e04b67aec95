import Compose
package import Runtimes
import Specs
import Stacks
import YAML

extension DeploymentService {
    /// Takes a changed `config` over, and replaces what its values reach where the deployment runs.
    ///
    /// - Parameter specFile: the spec to take over, as the user has written it; nil: the deployment's own.
    /// - Returns: what became of the start; nil: the deployment is stopped, and stays it.
    package func updateEnvironments(
        of directory: DeploymentDirectory, specFile: String?, events: @escaping DeploymentEventHandler = { _ in }
    ) async throws -> StartResult? {
        try await locked(directory, verb: "deployment update-envs", events: events) {
            try await update(directory, from: environmentRequest(directory, specFile, events), events: events)
            let deployment = try await open(directory, allocatesPorts: true)
            deployment.warnings.tell(events)
            let pods = try await deployment.handle.ps()
            guard pods.contains(where: { $0.state == .running || $0.state == .restarting }) else { return nil }
            return try await deployment.start(StartOptions(), events: events)
        }
    }

    /// What ``updateEnvironments(of:specFile:events:)`` would do.
    package func previewEnvironments(
        of directory: DeploymentDirectory, specFile: String?, events: DeploymentEventHandler = { _ in }
    ) async throws -> UpdatePreview {
        let request = try environmentRequest(directory, specFile, events)
        return UpdatePreview(
            files: try directory.changes(prepareDirectory(request).contents, tree: request.tree),
            plan: try await plan(directory, events: events))
    }

    /// The deployment's own files are the stack here: an edit of the stack's source is not taken over.
    private func environmentRequest(
        _ directory: DeploymentDirectory, _ specFile: String?, _ events: DeploymentEventHandler
    ) throws -> CreateRequest {
        let path = specFile.map(host.absolute) ?? directory.specFile
        let loaded = try loadSpec(path, tree: .disk)
        let tree = try directory.fileTree()
        let stack = try ResolvedStack.deployment(
            directory: directory.root, name: directory.identity.stackName, tree: tree)
        var request = CreateRequest(
            stack: stack, spec: loaded.spec, specText: try Files.read(path), directory: directory.root,
            stackSource: directory.identity.stackSource, toolVersion: host.toolVersion, options: host.layerOptions)
        request.tree = tree
        try request.take(directory.configEdits(), events)
        try directory.identity.refuseOther(request)
        return request
    }
}
