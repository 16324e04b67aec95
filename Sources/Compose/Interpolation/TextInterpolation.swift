package import YAML

/// Replaces the variables of a text that is not a compose file, by compose's rules: `${NAME:-default}`, `${NAME:?message}`, `$$`.
///
/// - Parameters:
///   - mark: the place of the text's first character; a fault is told with the line that it stands in.
///   - names: what may be used; another name is an error with the nearest of them.
/// - Returns: nil where the diagnostics received an error.
package func interpolated(
    _ text: String, at mark: Mark, names: [String], diagnostics: inout Diagnostics,
    lookup: @escaping (String) -> Variable?
) -> String? {
    var lines: [String] = []
    var isSound = true
    for (offset, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        let place = Mark(file: mark.file, line: mark.line == 0 ? 0 : mark.line + offset)
        var substitution = Substitution(lookup: lookup)
        do {
            lines.append(try substitution.substitute(String(line)))
        } catch {
            isSound = false
            diagnostics.error(
                "the variable in this line cannot be read", at: place,
                hint: "write ${NAME}, ${NAME:-default} or ${NAME:?message}; a dollar sign is $$")
        }
        for use in substitution.unset where use.requirement != nil || !names.contains(use.name) {
            isSound = false
            let hint =
                names.contains(use.name)
                ? "give \(use.name) a value"
                : nearest(use.name, in: names).map { "did you mean '\($0)'?" }
                    ?? "declare it under `variables:`; a dollar sign is $$"
            diagnostics.error("\(use.name) is not set: \(use.requirement ?? "no such variable")", at: place, hint: hint)
        }
    }
    return isSound ? lines.joined(separator: "\n") : nil
}
