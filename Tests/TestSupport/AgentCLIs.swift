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

extension AgentCLIs {
    /// An image that holds a CLI below /opt/agent, as the setting `agent-images` names one. Made once and kept.
    package static func image(_ agent: String) async throws -> String {
        let isCodex = agent == "codex"
        let source = isCodex ? directory + "/codex/codex_cli_bin" : directory + "/claude/claude_agent_sdk/_bundled"
        let program = isCodex ? codex : claude
        let size = try FileManager.default.attributesOfItem(atPath: program)[.size] as? Int ?? 0
        let tag = "localhost/so-test-agent-\(agent):\(size)"
        if try await Podman.run(["image", "exists", tag]).succeeded { return tag }
        try await withTemporaryDirectory { directory in
            let copy = isCodex ? "COPY . /opt/agent/" : "COPY claude /opt/agent/bin/claude"
            try write("FROM scratch\n\(copy)\n", to: directory + "/Containerfile")
            let built = try await Podman.run(["build", "-q", "-t", tag, "-f", directory + "/Containerfile", source])
            guard built.succeeded else { throw Podman.Failed(finished: built) }
        }
        return tag
    }
}
