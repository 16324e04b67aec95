import FoundationEssentials
import TestSupport
import Testing

/// What operators of the predecessor do day by day, with stacks and deployments as they are.
@Suite(.podmanOnly) struct PredecessorWorkflowTests {
    @Test(.pods)
    func `an update takes the rules of a bound directory over, and keeps and names those that were edited`()
        async throws
    {
        try await withSandbox { sandbox in
            let compose = """
                services:
                  web:
                    image: IMAGE
                    command: ["sh", "-c", "cp /rules/one /tmp/seen; exec sleep 100000"]
                    volumes: ["../config/STACK/rules:/rules"]
                    stop_grace_period: 0s
                """
            try await sandbox.create(compose, config: ["rules/one": "first\n", "rules/two": "first\n"])
            try await sandbox.mustDeployment("start")
            let before = try await sandbox.containers("web")
            let unchanged = try await sandbox.mustDeployment("restart")
            #expect(unchanged.errors.contains("nothing to change"), "\(unchanged)")
            #expect(try await sandbox.containers("web") == before)

            let rules = "config/\(sandbox.stack)/rules"
            try write("mine\n", to: "\(sandbox.deployment)/\(rules)/two")
            try sandbox.writeStack(compose, config: ["rules/one": "second\n", "rules/two": "second\n"])
            let restarted = try await sandbox.mustDeployment("restart")
            #expect(restarted.errors.contains("wrote    \(rules)/one"), "\(restarted)")
            #expect(restarted.errors.contains("kept     \(rules)/two as it was changed here"), "\(restarted)")
            #expect(try await sandbox.containers("web") != before, "its pod is replaced")
            #expect(try await sandbox.inside("web", "cat", "/tmp/seen") == "second")
            #expect(try await sandbox.inside("web", "cat", "/rules/two") == "mine")
        }
    }
}
