package import Runtimes
import Specs
import YAML

extension DeploymentService {
    /// What a stop would take away, in words; changes nothing.
    package func stopPreview(_ directory: DeploymentDirectory, _ options: StopOptions) async throws -> [String] {
        do {
            return try await open(directory).handle.stopPreview(options)
        } catch let error as InvalidInput {
            guard directory.identity.ties.isFoundByLabels else { throw error }
            return try await unreadable(directory).stopPreview(options)
        }
    }

    /// Stops a deployment, after the stack's stop hook, and returns when everything that it removes is gone.
    ///
    /// A mistake in a file must not keep anybody from stopping what runs: where the files cannot be read, it is found by its labels.
    package func stop(
        _ directory: DeploymentDirectory, _ options: StopOptions, runsHooks: Bool = true,
        events: @escaping DeploymentEventHandler = { _ in }
    ) async throws {
        do {
            try await changing(directory, verb: "deployment stop", events: events) { deployment in
                if runsHooks, options.services.isEmpty { try await deployment.runStopHooks(events) }
                try await deployment.handle.stop(options) { events(.runtime($0)) }
            }
        } catch let error as InvalidInput {
            try await stopUnreadable(directory, options, error, events)
        }
    }

    /// Which data is the deployment's own, its record tells, and spec.yml what the operator chose.
    private func stopUnreadable(
        _ directory: DeploymentDirectory, _ options: StopOptions, _ error: InvalidInput,
        _ events: @escaping DeploymentEventHandler
    ) async throws {
        let handle = try unreadable(directory)
        // A compose project has no data but podman's volumes, which are known by their labels.
        let knowsData = !options.deleteVolumes || directory.runsProject || handle.model.madeDirectories != nil
        guard knowsData, directory.identity.ties.isFoundByLabels else { throw error }
        events(.unreadable(error.diagnostics))
        try await locked(directory, verb: "deployment stop", recovers: false, events: events) {
            try await handle.stop(options) { events(.runtime($0)) }
        }
    }
}

extension DirectoryDeployment {
    fileprivate func runStopHooks(_ events: @escaping DeploymentEventHandler) async throws {
        do {
            try await runHooks(.stop, events: events)
        } catch let error as DeploymentError {
            throw DeploymentError(
                .failed, "nothing was stopped: \(error.message)", cause: error.cause,
                hint: (error.hint.map { "\($0); or" } ?? "fix it, or") + " stop without it: add --no-hooks")
        }
    }
}
