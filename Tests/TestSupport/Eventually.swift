package import Testing

/// Waits until `check` holds: asks again and again, and records an issue when it has not held for `seconds`.
///
/// The one place where tests wait. It returns as soon as the check holds, so the limit costs nothing on the way to success.
/// An error thrown by `check` counts as "not yet"; the last one is told.
package func eventually(
    within seconds: Int = 300, _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation, _ check: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: .seconds(seconds))
    var last: (any Error)?
    while clock.now < end {
        do {
            last = nil
            if try await check() { return }
        } catch {
            last = error
        }
        try await Task.sleep(for: .milliseconds(50))
    }
    let cause = last.map { "; the last answer: \($0)" } ?? ""
    Issue.record("did not happen within \(seconds) s: \(what)\(cause)", sourceLocation: sourceLocation)
    throw NeverHappened(what: what.rawValue)
}

package struct NeverHappened: Error {
    package let what: String
}
