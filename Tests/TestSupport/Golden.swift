import FoundationEssentials
package import Testing

/// Compares a text with the golden file at `path` (below the package's root). `SO_UPDATE_GOLDENS=1` writes the file instead; the change
/// is then for a person to read in the diff. A missing golden is a failure.
package func expectGolden(_ text: String, _ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let full = path.hasPrefix("/") ? path : Shared.packageRoot + "/" + path
    if ProcessInfo.processInfo.environment["SO_UPDATE_GOLDENS"] == "1" {
        return try write(text, to: full)
    }
    guard let golden = try? read(full) else {
        Issue.record("no golden at \(path): SO_UPDATE_GOLDENS=1 writes it", sourceLocation: sourceLocation)
        return
    }
    guard golden != text else { return }
    let (wanted, got) = (golden.split(separator: "\n", omittingEmptySubsequences: false), lines(text))
    let first =
        zip(wanted, got).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(wanted.count, got.count)
    Issue.record(
        """
        differs from \(path) first at line \(first + 1):
        - \(first < wanted.count ? String(wanted[first]) : "(end)")
        + \(first < got.count ? String(got[first]) : "(end)")
        """, sourceLocation: sourceLocation)
}

private func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
}
