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

    /// Imports what hooks of real stacks import, in the old package's name too.
    private let commands = """
        from stack_orchestrator.util import get_yaml
        from stack_orchestrator.deploy.deploy_types import DeployCommandContext, LaconicStackSetupCommand
        from app.deploy.deployment_context import DeploymentContext
        from stack_orchestrator.deploy.deploy_util import VolumeMapping, run_container_command
        from stack_orchestrator.deploy.stack_state import State
        from pathlib import Path
        import helper

        def init(command_context: DeployCommandContext):
            return get_yaml().load("config:\\n  FROM_INIT: yes it is\\n")

        def setup(command_context, parameters, extra_args):
            Path(extra_args[0]).joinpath("set-up").write_text(parameters.chain_id)

        def create(context: DeploymentContext, extra_args):
            print("creating", extra_args[0])
            context.deployment_dir.joinpath("data", "state", "made").write_text(helper.text)
            def change(document):
                document["services"]["web"]["labels"] = {"changed": "by create"}
            context.modify_yaml(context.get_compose_file(context.stack.name.split("/")[-1]), change)

        def start(context):
            (context.deployment_dir / "started").write_text(context.get_deployment_id())
        """

    @Test(.pods) func `a stack's commands.py is called with what it knows, at each of its occasions`() async throws {
        try await withSandbox { sandbox in
            let web = idle("web", "    volumes: [\"state:/state\"]\n    environment: {FROM_INIT: \"${FROM_INIT:-}\"}")
            try sandbox.writeStack("services:\n\(web)\nvolumes:\n  state:\n")
            try write(commands, to: sandbox.stackDirectory + "/deploy/commands.py")
            try write("text = 'made by create'\n", to: sandbox.stackDirectory + "/deploy/helper.py")
            let checked = try await sandbox.must("validate-stack", sandbox.stackDirectory)
            #expect(checked.errors.contains("commands.py runs on this host, by python3"), "\(checked)")
            try await sandbox.must(
                "deploy", "setup", "--stack", sandbox.stackDirectory, "--chain-id", "chain-1", sandbox.directory)
            #expect(try read(sandbox.directory + "/set-up") == "chain-1")
            try await sandbox.must("deploy", "init", "--stack", sandbox.stackDirectory, "--output", sandbox.specFile)
            #expect(try read(sandbox.specFile).contains("FROM_INIT: yes it is"))
            let created = try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment,
                "--network-dir", "/net")
            #expect(created.errors.contains("creating /net"), "\(created)")
            #expect(try read(sandbox.deployment + "/data/state/made") == "made by create")
            try await sandbox.mustDeployment("start")
            #expect(
                try await sandbox.inside("web", "sh", "-c", "echo $FROM_INIT; cat /state/made")
                    == "yes it is\nmade by create")
            #expect(try read(sandbox.deployment + "/started").isEmpty == false)
            try await sandbox.update()
            #expect(try read(sandbox.deployment + "/hooks/helper.py").contains("made by create"))
        }
    }

    @Test func `a module that hooks are not given is told by name`() async throws {
        try await withPodlessSandbox { sandbox in
            try sandbox.writeStack("services:\n  web: {image: IMAGE}\n")
            try write(
                "import stack_orchestrator.deploy.k8s.helpers\n", to: sandbox.stackDirectory + "/deploy/commands.py")
            let failed = try await sandbox.so(
                ["deploy", "init", "--stack", sandbox.stackDirectory, "--output", sandbox.specFile])
            #expect(failed.status == 1 && failed.errors.contains("stack_orchestrator.deploy.k8s"), "\(failed)")
        }
    }
}
