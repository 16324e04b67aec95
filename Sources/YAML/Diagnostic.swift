/// One problem in an input, with its place and how to fix it.
package struct Diagnostic: Hashable, Sendable, CustomStringConvertible {
    /// How grave a problem is: an error stops the command, a warning does not.
    package enum Severity: String, Sendable {
        case error
        case warning
    }

    package var severity: Severity
    /// Where the problem stands, if it has one place.
    package var mark: Mark?
    /// What is wrong, naming the key, service or value.
    package var what: String
    /// The edit or command that fixes it.
    package var hint: String?
    /// Whether nothing is known to be wrong with the input: this user may not read it.
    package var isDenied = false

    package init(_ severity: Severity, at mark: Mark?, _ what: String, hint: String? = nil) {
        self.severity = severity
        self.mark = mark
        self.what = what
        self.hint = hint
    }

    /// `file:line:column: error|warning: what`, then `hint: how to fix it` on its own line.
    package var description: String {
        let place = mark.map { "\($0): " } ?? ""
        // A name of the input must not begin a line of its own.
        let text = "\(place)\(severity.rawValue): \(what)".replacing("\n", with: "\\n")
        return printable(text + hintLine(hint))
    }
}

/// A line break and `hint: …`, to end a message with; nothing where there is no hint.
package func hintLine(_ hint: String?) -> String {
    hint.map { "\nhint: \($0)" } ?? ""
}

/// The text without what would act on the terminal that shows it: control characters of an input are written out, but for line
/// breaks and tabs.
package func printable(_ text: String) -> String {
    func isControl(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isBidiControl || scalar == "\u{2028}" || scalar == "\u{2029}" { return true }
        return scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
    }
    // Of the bytes of U+0080 to U+009F the first is C2, of those that turn the direction of writing D8 or E2; nearly every text has
    // neither those nor any byte below a blank.
    let isSuspicious = text.utf8.contains {
        ($0 < 0x20 && $0 != 0x0A && $0 != 0x09) || [0x7F, 0xC2, 0xD8, 0xE2].contains($0)
    }
    guard isSuspicious, text.unicodeScalars.contains(where: isControl) else { return text }
    return text.unicodeScalars.map { scalar in
        isControl(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }.joined()
}

/// Collects every problem of one input, so that all of them are reported at once.
package struct Diagnostics: Sendable {
    /// The problems found so far, in the order in which they were found.
    package private(set) var list: [Diagnostic] = []

    package init() {}

    /// Whether any of the problems stops the command.
    package var hasErrors: Bool { list.contains { $0.severity == .error } }

    /// Records an error.
    package mutating func error(_ what: String, at mark: Mark?, hint: String? = nil) {
        list.append(Diagnostic(.error, at: mark, what, hint: hint))
    }

    /// Records a warning.
    package mutating func warning(_ what: String, at mark: Mark?, hint: String? = nil) {
        list.append(Diagnostic(.warning, at: mark, what, hint: hint))
    }

    /// Adds what another stage found.
    package mutating func append(contentsOf other: [Diagnostic]) {
        list.append(contentsOf: other)
    }

    /// Throws ``InvalidInput`` with every problem if one of them is an error.
    package func throwIfErrors() throws(InvalidInput) {
        if hasErrors { throw InvalidInput(list) }
    }
}

/// An input was refused: thrown by every loader, with all the problems of that input (exit code 65).
package struct InvalidInput: Error, Sendable, CustomStringConvertible {
    package var diagnostics: [Diagnostic]

    package init(_ diagnostics: [Diagnostic]) {
        self.diagnostics = diagnostics
    }

    /// Whether all that is wrong is that this user may not read it (exit code 77 rather than 65).
    package var isDenied: Bool {
        let errors = diagnostics.filter { $0.severity == .error }
        return !errors.isEmpty && errors.allSatisfy(\.isDenied)
    }

    package var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}
