import FoundationEssentials
package import Testing

/// Where the sessions of the tests run: podman, or the cluster that `SO_TEST_KUBECONFIG` names.
package enum TestRuntime {
    /// How pods call the machine that the tests run on.
    package static var host: String { cluster.flatMap { _ in TestCluster.hostAddress } ?? "host.containers.internal" }

    private static var cluster: TestCluster? { TestCluster.named }

    /// Everything whose name holds `token`.
    package static func named(_ token: String) async throws -> [String] {
        if let cluster { return try await cluster.named(token) }
        return try await Podman.named(token)
    }

    package static func removeAll(named token: String) async {
        guard let cluster else { return await Podman.removeAll(named: token) }
        for object in (try? await cluster.named(token)) ?? [] {
            _ = try? await cluster.kubectl("delete", object, "--timeout", "120s")
        }
    }

    /// Runs a command in the pod of a session's agent.
    package static func run(in session: String, _ command: [String]) async throws -> Finished {
        if let cluster {
            return try await cluster.kubectl(
                ["exec", "--namespace", "so-\(session)", "deployment/agent", "--"] + command)
        }
        let listed = try await Podman.run(["ps", "--format", "{{.Names}}", "--filter", "name=\(session)"])
        let pod = listed.output.split(separator: "\n").first { $0.contains("_agent") }.map(String.init)
        return try await Podman.run(["exec", pod ?? "none"] + command)
    }

    /// Ends the agent's pod as a node that fails does, without asking it.
    package static func killAgent(of session: String) async throws {
        guard let cluster else {
            _ = try await Podman.run(["kill", "--signal", "KILL", "so-\(session)_agent_agent"])
            return
        }
        for pod in try await pods(of: session) where pod.hasPrefix("pod/agent-") {
            _ = try await cluster.kubectl(
                "delete", pod, "--namespace", "so-\(session)", "--grace-period", "0", "--force")
        }
    }

    /// What runs of a session.
    package static func pods(of session: String) async throws -> [String] {
        let listed =
            if let cluster {
                try await cluster.kubectl("get", "pods", "--namespace", "so-\(session)", "--output", "name")
            } else {
                try await Podman.run(["ps", "--quiet", "--filter", "name=\(session)"])
            }
        return listed.output.split(separator: "\n").map(String.init)
    }
}

/// For tests that run sessions wherever the scenarios run: skipped with the reason on a cluster that the tests' images or address do not reach.
package struct SessionRuntimeTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        if TestCluster.named != nil {
            if TestCluster.loader == nil {
                try Test.cancel("SO_TEST_LOAD_IMAGE names no program that brings images onto the nodes")
            }
            if TestCluster.hostAddress == nil {
                try Test.cancel("SO_TEST_HOST_ADDRESS names no address at which pods reach this machine")
            }
        }
        try await function()
    }
}

extension Trait where Self == SessionRuntimeTrait {
    /// This test or suite runs sessions, on podman or on a cluster.
    package static var sessionRuntime: Self { Self() }
}
