package import YAML

/// One `NAME=value` line of an env file, as it stands: quotes and escapes are read, variables are not replaced.
package struct EnvironmentAssignment: Hashable, Sendable {
    package var name: String
    /// nil: a bare name.
    package var value: String?
    package var mark: Mark

    package init(name: String, value: String?, mark: Mark) {
        self.name = name
        self.value = value
        self.mark = mark
    }
}

/// The lines of an env file in compose's format, in their order; faults are reported.
package func environmentAssignments(
    _ bytes: [UInt8], file: String, diagnostics: inout Diagnostics
) -> [EnvironmentAssignment] {
    guard !Placeholder.isIn(bytes) else {
        diagnostics.error(
            "the file holds the characters U+10FF50 or U+10FF51", at: Mark(file: file), hint: "remove them")
        return []
    }
    let parsed = EnvironmentFileParser.parse(bytes, file: file)
    diagnostics.append(contentsOf: parsed.problems)
    return parsed.lines.map { EnvironmentAssignment(name: $0.name, value: $0.value, mark: $0.mark) }
}
