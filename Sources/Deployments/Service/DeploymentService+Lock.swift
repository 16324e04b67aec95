import Glibc
import Runtimes

extension DeploymentService {
    /// Takes the deployment's lock, finishes what a killed command has left, reads the deployment, and runs the body.
    ///
    /// - Parameters:
    ///   - verb: the command that those who wait are told of, such as `deployment start`.
    ///   - warns: whether the warnings of its files are events.
    func changing<Value: Sendable>(
        _ directory: DeploymentDirectory, verb: String, warns: Bool = false, events: @escaping DeploymentEventHandler,
        _ body: @Sendable (DirectoryDeployment) async throws -> Value
    ) async throws -> Value {
        try await locked(directory, verb: verb, events: events) {
            let deployment = try await open(directory, allocatesPorts: true)
            (warns ? deployment.warnings : deployment.accessWarnings).tell(events)
            return try await body(deployment)
        }
    }

    /// Takes the deployment's lock and runs the body.
    ///
    /// - Parameter recovers: whether a copy of the deployment is refused, and what a killed command has left is finished.
    func locked<Value: Sendable>(
        _ directory: DeploymentDirectory, verb: String, recovers: Bool = true, events: @escaping DeploymentEventHandler,
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await places.pass {
            let lock = try await directory.lock(holder: "`so \(verb)` (process \(getpid()))") { holder in
                events(.locked(by: holder, directory: directory.root))
            }
            if Task.isCancelled { throw DeploymentError(.cancelled, "cancelled") }
            if recovers {
                try directory.claim()
                try directory.recover()
            }
            let value = try await body()
            _ = consume lock
            return value
        }
    }
}
