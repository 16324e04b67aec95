import ExternalTools
import Runtimes

/// Runs a start that has to be over after a time; without one it may take as long as it comes further.
///
/// - Throws: ``DeploymentError`` (`failed`) when the time has passed: the start is cancelled, and what runs stays.
package func within(
    seconds: Int?, _ start: @escaping @Sendable () async throws -> Void
) async throws {
    guard let seconds else { return try await start() }
    guard try await withDeadline(.seconds(seconds), start) == nil else { return }
    throw DeploymentError(
        .failed, "not everything is ready after \(seconds) s: what runs stays",
        hint: "so status shows what is not ready; a longer --wait-timeout waits for it")
}
