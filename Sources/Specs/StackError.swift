import YAML

/// Why a stack, or a file that a stack or spec names, cannot be used. Faults inside an input are ``YAML/InvalidInput`` instead.
package struct StackError: ReportedError, Hashable {
    /// What kind of failure it is: what callers decide on.
    package enum Code: Hashable, Sendable {
        /// No stack, file or repository of that name (exit code 66).
        case notFound
        /// Several stacks have the name (exit code 64).
        case ambiguous
        /// The name or locator cannot be one, or its path leaves its root (exit code 65).
        case refused
        /// It is there and cannot be read (exit code 77).
        case notPermitted
        /// A repository could not be cloned or fetched (exit code 69).
        case fetchFailed
        /// Going on would lose what the user changed in a clone (exit code 1).
        case localChanges
        /// Randomness for a secret could not be had (exit code 69).
        case noRandomness
    }

    package var code: Code
    /// What failed, on which name.
    package var message: String
    /// What the system said.
    package var cause: String?
    /// The edit or command that fixes it.
    package var hint: String?

    package init(_ code: Code, _ message: String, cause: String? = nil, hint: String? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
        self.hint = hint
    }

    /// Something is there, perhaps, and this user may not read it.
    package init(denied what: String) {
        self.init(
            .notPermitted, "\(what) may not be read",
            hint: "ask its owner, or run the command as a user who may read it")
    }

    package var exitCode: Int32 {
        switch code {
        case .localChanges: 1
        case .ambiguous: 64
        case .refused: 65
        case .notFound: 66
        case .fetchFailed, .noRandomness: 69
        case .notPermitted: 77
        }
    }

    package var description: String { (cause.map { "\(message): \($0)" } ?? message) + hintLine(hint) }
}
