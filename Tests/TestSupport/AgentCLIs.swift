import FoundationEssentials
import Glibc
package import Testing

/// The real coding CLIs that the tests drive, as `scripts/test` unpacks them below .build; `$SO_TEST_CLIS` names another place.
package enum AgentCLIs {
    package static let directory = Podman.environment["SO_TEST_CLIS"] ?? Shared.packageRoot + "/.build/clis"
    package static let claude = directory + "/claude/claude_agent_sdk/_bundled/claude"
    package static let codex = directory + "/codex/codex_cli_bin/bin/codex"
    /// The egress program that was built beside the tests.
    package static let egress = Shared.packageRoot + "/.build/debug/so-egress"

    fileprivate static var isThere: Bool { access(claude, X_OK) == 0 && access(codex, X_OK) == 0 }
    fileprivate static let absent = "the coding CLIs are missing: scripts/test fetches them"
}

/// For tests that run the real CLIs: skipped with the reason where they are missing, failed where `CI` is set.
package struct AgentCLIsTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        if !AgentCLIs.isThere {
            guard ProcessInfo.processInfo.environment["CI"] == nil else {
                throw PodsUnavailable(description: AgentCLIs.absent)
            }
            try Test.cancel("\(AgentCLIs.absent)")
        }
        try await function()
    }
}

extension Trait where Self == AgentCLIsTrait {
    /// This test or suite runs real coding CLIs.
    package static var agentCLIs: Self { Self() }
}
