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
            let unchanged = try await sandbox.mustDeployment("update")
            #expect(unchanged.errors.contains("nothing to change"), "\(unchanged)")
            #expect(try await sandbox.containers("web") == before)

            let rules = "config/\(sandbox.stack)/rules"
            try write("mine\n", to: "\(sandbox.deployment)/\(rules)/two")
            try sandbox.writeStack(compose, config: ["rules/one": "second\n", "rules/two": "second\n"])
            let restarted = try await sandbox.mustDeployment("update")
            #expect(restarted.errors.contains("wrote    \(rules)/one"), "\(restarted)")
            #expect(restarted.errors.contains("kept     \(rules)/two as it was changed here"), "\(restarted)")
            #expect(try await sandbox.containers("web") != before, "its pod is replaced")
            #expect(try await sandbox.inside("web", "cat", "/tmp/seen") == "second")
            #expect(try await sandbox.inside("web", "cat", "/rules/two") == "mine")
        }
    }

    @Test(.pods) func `an edited line of config.env counts over the spec, says so, and survives updates`() async throws
    {
        try await withSandbox { sandbox in
            let compose =
                "services:\n"
                + idle("web", "    environment: {A: \"${A:-none}\", B: \"${B:-none}\", C: \"${C:-none}\"}")
            try await sandbox.create(compose, spec: "config:\n  A: spec\n  B: spec\n")
            try await sandbox.mustDeployment("start")
            let file = "\(sandbox.deployment)/config.env"
            let header = try #require(try read(file).split(separator: "\n").first)
            try write("\(header)\n# tried out\nA=edited\nB='spec'\nC=\"added here\"\n", to: file)
            let plan = try await sandbox.mustDeployment("plan")
            #expect(plan.errors.contains("config.env:3"), "\(plan)")
            #expect(plan.errors.contains("A was changed here, which counts over"), "\(plan)")
            #expect(plan.errors.contains("C was added here"), "\(plan)")
            #expect(plan.output.contains("replace"), "\(plan)")
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.inside("web", "sh", "-c", "echo $A/$B/$C") == "edited/spec/added here")
            let explained = try await sandbox.mustDeployment("config", "--explain")
            #expect(explained.output.contains("config.env:3"), "\(explained)")

            try sandbox.writeSpec("config:\n  A: spec again\n  B: new\n")
            try await sandbox.update()
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.inside("web", "sh", "-c", "echo $A/$B/$C") == "edited/new/added here")
            try write(read(file).replacing("A=edited", with: "A='spec again'"), to: file)
            let reverted = try await sandbox.mustDeployment("plan")
            #expect(!reverted.errors.contains("A was changed"), "\(reverted)")
        }
    }
}
