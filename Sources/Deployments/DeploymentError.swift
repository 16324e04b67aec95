/// Why an operation on a deployment failed.
///
/// Problems of an input (stack, compose, spec) are thrown as `InvalidInput` instead, with every place.
package struct DeploymentError: Error, Sendable, CustomStringConvertible {
    /// The class of a failure; `so` maps each to an exit code.
    package enum Code: String, Sendable {
        /// A workload cannot become ready, a job failed, or a hook failed.
        case failed
        /// A named input is missing.
        case missing
        /// The engine, cluster or a tool is missing or does not answer.
        case unavailable
        /// A file, directory or object cannot be written.
        case cannotCreate
        /// Another deployment or user owns it.
        case notPermitted
        /// The stack, spec or request cannot be run as it stands.
        case invalid
    }

    package var code: Code
    /// What failed, on which name, then the command or edit that mends it; never a secret's value.
    package var message: String
    package var cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var description: String { message }
}
