import Synchronization
import YAML

/// Prints diagnostics to stderr, one a line, those of one place in the order in which they were found.
enum Diagnoses {
    private static let said = Mutex<Set<Diagnostic>>([])

    static func print(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics { Terminal.note(diagnostic.description) }
        let errors = diagnostics.filter { $0.severity == .error }.count
        guard errors > 1 else { return }
        Terminal.note("\(errors) errors")
    }

    /// Prints the warnings of an operation that goes on.
    static func warn(_ diagnostics: [Diagnostic], global: GlobalOptions) {
        guard !global.quiet else { return }
        for diagnostic in diagnostics where isNew(diagnostic) { Terminal.note(diagnostic.description) }
    }

    /// Whether a warning was not printed yet: several stages of a command find the same.
    static func isNew(_ diagnostic: Diagnostic) -> Bool { said.withLock { $0.insert(diagnostic).inserted } }
}
