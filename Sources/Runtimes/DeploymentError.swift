import Glibc
package import YAML

/// Why an operation on a deployment did not succeed.
package struct DeploymentError: OperationError {
    /// What kind of failure it is; `so` maps each to an exit code.
    package enum Code: String, Hashable, Sendable {
        /// Services failed: see ``DeploymentError/failures``. Exit code 1.
        case failed
        /// What the objects ask cannot be run here: see ``DeploymentError/diagnostics``. Exit code 65.
        case unsupported
        /// A named service, secret or path does not exist. Exit code 66.
        case missing
        /// podman is not installed or does not work. Exit code 69.
        case unavailable
        /// A file or object could not be made or removed. Exit code 73.
        case cannotCreate
        /// Another deployment owns it, or this user may not read or write it. Exit code 77.
        case notPermitted
        /// The task was cancelled; the same operation goes on from here. Exit code 130.
        case cancelled
    }

    package var code: Code
    package var message: String
    /// The program's or the system's own words.
    package var cause: String?
    /// The edit or command that fixes it.
    package var hint: String?
    package var failures: [ServiceFailure] = []
    package var diagnostics: [Diagnostic] = []

    package init(_ code: Code, _ message: String, cause: String? = nil, hint: String? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
        self.hint = hint
    }

    /// A failed call of the system, by its errno.
    package init(errno: Int32, _ message: String, hint: String? = nil) {
        let isDenied = errno == EACCES || errno == EPERM
        self.init(
            isDenied ? .notPermitted : .cannotCreate, "\(message): \(String(cString: strerror(errno)))",
            hint: hint ?? (isDenied ? "ask its owner, or run the command as a user who may" : Self.room(errno)))
    }

    private static func room(_ number: Int32) -> String? {
        switch number {
        case ENOSPC: "free disk space (see df -h), then run the command again"
        case EDQUOT: "free disk space there or ask for a larger quota, then run the command again"
        default: nil
        }
    }

    package var exitCode: Int32 {
        switch code {
        case .failed: 1
        case .unsupported: 65
        case .missing: 66
        case .unavailable: 69
        case .cannotCreate: 73
        case .notPermitted: 77
        case .cancelled: 130
        }
    }

    package var description: String {
        let said = message.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let cause = (cause ?? "").split(separator: "\n").map(String.init)
        var text = said.first ?? ""
        if cause.count == 1 { text += ": \(cause[0])" }
        let more = said.dropFirst() + (cause.count > 1 ? cause.map { "  | \($0)" } : [])
        let own = ([text] + more).joined(separator: "\n") + hintLine(hint)
        return ([own] + diagnostics.map(\.description) + failures.map(\.description)).joined(separator: "\n")
    }
}

/// Why one service did not become ready.
package struct ServiceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    package enum Kind: String, Hashable, Sendable {
        case imageMissing, commandNotFound, notCreated, crashed, unhealthy, jobFailed, initFailed, portInUse
        case missingReference, dependencyFailed, hookFailed
        /// A node of the cluster refuses its pods.
        case rejected
    }

    package var service: String
    package var kind: Kind
    /// What never happened, in one line.
    package var reason: String
    package var hint: String?
    /// The last lines of the service's log, secrets masked.
    package var log: [String]

    package init(_ service: String, _ kind: Kind, _ reason: String, hint: String? = nil, log: [String] = []) {
        self.service = service
        self.kind = kind
        self.reason = reason
        self.hint = hint
        self.log = log
    }

    package var description: String {
        var lines = ["\(service): \(reason)"]
        if !log.isEmpty { lines += ["  last log lines:"] + log.map { "  | \($0)" } }
        return lines.joined(separator: "\n") + hintLine(hint)
    }
}
