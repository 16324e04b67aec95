package import YAML

/// Why an operation of the orchestrator did not succeed.
package struct OrchestratorError: OperationError {
    /// What kind of failure it is; `so` maps each to an exit code.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// Something that was asked for did not succeed. Exit code 1.
        case failed
        /// The configuration or another input has errors: see ``OrchestratorError/diagnostics``. Exit code 65.
        case invalid
        /// A named task, project, credential or file does not exist. Exit code 66.
        case missing
        /// The store, the forge or another service that is needed is not there or does not work. Exit code 69.
        case unavailable
        /// A file or object could not be made or removed. Exit code 73.
        case cannotCreate
        /// Somebody may not do this. Exit code 77.
        case notPermitted
        /// Another replica holds the task now, or it changed meanwhile: what was read is stale. Exit code 1.
        case conflict
    }

    package var code: Code
    package var message: String
    /// The server's or the system's own words; never a secret.
    package var cause: String?
    /// The edit or command that fixes it.
    package var hint: String?
    package var diagnostics: [Diagnostic]

    package init(
        _ code: Code, _ message: String, cause: String? = nil, hint: String? = nil, diagnostics: [Diagnostic] = []
    ) {
        self.code = code
        self.message = message
        self.cause = cause
        self.hint = hint
        self.diagnostics = diagnostics
    }

    package var description: String { report }

    package var exitCode: Int32 {
        switch code {
        case .failed, .conflict: 1
        case .invalid: 65
        case .missing: 66
        case .unavailable: 69
        case .cannotCreate: 73
        case .notPermitted: 77
        }
    }
}
