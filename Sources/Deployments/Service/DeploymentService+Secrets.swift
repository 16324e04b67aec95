package import Runtimes

extension DeploymentService {
    /// Gives a generated secret a new value.
    ///
    /// - Parameter starts: whether what uses it, and runs, is replaced.
    /// - Returns: what became of that; nil where nothing was started.
    package func rotateSecret(
        _ name: String, of directory: DeploymentDirectory, starts: Bool = true,
        events: @escaping DeploymentEventHandler = { _ in }
    ) async throws -> StartResult? {
        try await changing(directory, verb: "deployment secrets rotate", events: events) { deployment in
            try await deployment.handle.rotateSecret(name)
            events(.message("\(name) has a new value"))
            return starts ? try await deployment.roll(events) : nil
        }
    }

    /// Gives generated secrets values that exist already.
    ///
    /// - Parameter replaces: whether a value that a secret has already is replaced.
    /// - Returns: what became of the start; nil where nothing was started.
    package func importSecrets(
        _ values: [String: String], into directory: DeploymentDirectory, replaces: Bool, starts: Bool = true,
        events: @escaping DeploymentEventHandler = { _ in }
    ) async throws -> StartResult? {
        try await changing(directory, verb: "deployment secrets import", events: events) { deployment in
            let written = try await deployment.handle.importSecrets(values, replaces: replaces)
            let same = values.count - written.count
            events(
                .message(
                    "imported \(written.count) of \(values.count)" + (same > 0 ? ", \(same) had this value" : "")))
            return starts && !written.isEmpty ? try await deployment.roll(events) : nil
        }
    }
}

extension DirectoryDeployment {
    /// Replaces what uses a changed secret, and waits until it is ready; nil where nothing runs.
    fileprivate func roll(_ events: @escaping DeploymentEventHandler) async throws -> StartResult? {
        guard try await handle.ps().contains(where: { $0.state == .running }) else { return nil }
        return try await handle.start { events(.runtime($0)) }
    }
}
