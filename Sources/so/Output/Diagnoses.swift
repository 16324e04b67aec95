import YAML

/// Prints diagnostics to stderr, one a line, those of one place in the order in which they were found.
enum Diagnoses {
    static func print(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics { Terminal.note(diagnostic.description) }
        let errors = diagnostics.filter { $0.severity == .error }.count
        guard errors > 1 else { return }
        Terminal.note("\(errors) errors")
    }

    /// Prints the warnings of an operation that goes on.
    static func warn(_ diagnostics: [Diagnostic], global: GlobalOptions) {
        guard !global.quiet else { return }
        for diagnostic in diagnostics { Terminal.note(diagnostic.description) }
    }
}
