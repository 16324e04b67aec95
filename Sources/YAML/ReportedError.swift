/// An error that a user reads: its description says what happened, why and what to do; the process ends with its code.
package protocol ReportedError: Error, Sendable, CustomStringConvertible {
    /// The codes and their meanings: docs/guarantees.md.
    var exitCode: Int32 { get }
}

/// An error of one operation, told with what is wrong in its inputs.
package protocol OperationError: ReportedError {
    var message: String { get }
    /// The program's or the system's own words; never a secret.
    var cause: String? { get }
    /// The edit or command that fixes it.
    var hint: String? { get }
    var diagnostics: [Diagnostic] { get }
}

extension OperationError {
    /// What happened, why, what to do, and what is wrong in the inputs.
    package var report: String {
        let text = cause.map { "\(message): \($0)" } ?? message
        return ([text + hintLine(hint)] + diagnostics.map(\.description)).joined(separator: "\n")
    }
}
