package import YAML

/// Why an operation on a workspace or a session did not succeed.
package struct WorkspaceError: OperationError {
    /// What kind of failure it is; `so` maps each to an exit code.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// Something that was asked for did not succeed, e.g. an agent or a task. Exit code 1.
        case failed
        /// A definition or another input has errors: see ``WorkspaceError/diagnostics``. Exit code 65.
        case invalid
        /// A named session, template, agent or file does not exist. Exit code 66.
        case missing
        /// A program or service that is needed is not there or does not work. Exit code 69.
        case unavailable
        /// A file or object could not be made or removed. Exit code 73.
        case cannotCreate
        /// It belongs to somebody else, or a policy refuses it. Exit code 77.
        case notPermitted
        /// What came out of a session cannot be taken, however often it is tried. Exit code 1.
        case refused
        /// The task was cancelled; the same operation goes on from here. Exit code 130.
        case cancelled
    }

    package var code: Code
    package var message: String
    /// The program's or the system's own words.
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
        case .failed, .refused: 1
        case .invalid: 65
        case .missing: 66
        case .unavailable: 69
        case .cannotCreate: 73
        case .notPermitted: 77
        case .cancelled: 130
        }
    }
}
