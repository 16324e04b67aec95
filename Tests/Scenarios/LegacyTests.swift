import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// What an operator brings along from the predecessor: its deployment directories and its verbs.
@Suite(.podmanOnly) struct LegacyTests {
    private let compose = """
        services:
          test:
            image: IMAGE
            command: ["sh", "-c", "cat /data/marker; echo param-1 $$PARAM_1; exec sleep 100000"]
            environment:
              PARAM_1: ${PARAM_1:-FAILED}
            volumes:
              - test-data:/data
            ports: ["80"]
            stop_grace_period: 0s
        volumes:
          test-data:
            driver: local
            driver_opts:
              type: none
              device: ../data/test-data
              o: bind
        """

    /// A directory as `laconic-so deploy create` writes it.
    private func writeLegacy(_ sandbox: Sandbox, spec: String = "") throws {
        let root = sandbox.deployment
        try write("stack: \(sandbox.stack)\ndeploy-to: compose\n\(spec)", to: root + "/spec.yml")
        try write("name: \(sandbox.stack)\npods:\n  - \(sandbox.stack)\n", to: root + "/stack.yml")
        try write(
            "cluster-id: laconic-\(sandbox.token)\ndeployment-id: laconic-def\nstack-source: /nowhere/\(sandbox.stack)\n",
            to: root + "/deployment.yml")
        try write("# AUTO-GENERATED\nPARAM_1=from config\nADDED=a=b c\n", to: root + "/config.env")
        try write(
            compose.replacing("IMAGE", with: sandbox.image),
            to: root + "/compose/docker-compose-\(sandbox.stack).yml")
        try write("precious\n", to: root + "/data/test-data/marker")
        try write("print('hook')\n", to: root + "/hooks/commands.py")
    }

    private let spec = """
        config:
          PARAM_1: from config
        volumes:
          test-data: ./data/test-data
        strange-key: 5
        """

    @Test(.pods) func `a predecessor's directory is imported in place, runs with its data, and loses nothing it says`()
        async throws
    {
        try await withSandbox { sandbox in
            try writeLegacy(sandbox, spec: spec)
            let early = try await sandbox.deployment("ps")
            #expect(early.status == 65 && early.errors.contains("so deploy import-legacy"), "\(early)")
            #expect(!early.errors.contains("backup"), "\(early)")
            let finished = try await sandbox.must("deploy", "import-legacy", sandbox.deployment)
            for part in ["strange-key", "ADDED", "commands.py", "config-scope: interpolation", "deployment.yml.bak"] {
                #expect(finished.errors.contains(part), "\(part) is told: \(finished)")
            }
            let identity = try read(sandbox.deployment + "/deployment.yml")
            #expect(
                identity.contains("deployment-id: laconic-def")
                    && identity.contains("cluster-id: laconic-\(sandbox.token)"))
            #expect(try read(sandbox.deployment + "/spec.yml").contains("strange-key: 5"))
            #expect(try read(sandbox.deployment + "/spec.yml.bak").hasSuffix(spec), "the old spec is kept")
            // Two deployments of one stack ran beside each other, each a compose project of its own.
            #expect(try read(sandbox.deployment + "/spec.yml").contains("namespace: laconic-\(sandbox.token)"))
            try await sandbox.mustDeployment("start")
            try await eventually("the logs tell it") {
                let logs = try await sandbox.mustDeployment("logs").output
                return logs.contains("precious") && logs.contains("param-1 from config")
            }
            try await sandbox.mustDeployment("stop")
            #expect(try read(sandbox.deployment + "/data/test-data/marker") == "precious\n")
        }
    }

    @Test func `a dry run of the import prints the spec and changes nothing, and a second import is refused`()
        async throws
    {
        try await withPodlessSandbox { sandbox in
            try writeLegacy(sandbox, spec: spec)
            let before = try files(below: sandbox.deployment)
            let preview = try await sandbox.must("deploy", "import-legacy", sandbox.deployment, "--dry-run")
            #expect(preview.output.contains("ADDED: a=b c"))
            #expect(try files(below: sandbox.deployment) == before)
            try await sandbox.must("deploy", "import-legacy", sandbox.deployment)
            let again = try await sandbox.so(["deploy", "import-legacy", sandbox.deployment])
            #expect(again.status == 65 && again.errors.contains("is a deployment of so already"), "\(again)")
        }
    }

    @Test func `an import takes the directory's own files, whatever the stack's source says by now`() async throws {
        try await withPodlessSandbox { sandbox in
            try writeLegacy(sandbox, spec: "config: {PARAM_1: from spec} # as it was quoted\n")
            let source = sandbox.directory + "/source/stacks/" + sandbox.stack
            try write("pods: [\(sandbox.stack)]\n", to: source + "/stack.yml")
            try write(
                "services:\n  test: {image: somebody/else:9}\n",
                to: sandbox.directory + "/source/compose/docker-compose-\(sandbox.stack).yml")
            try write(
                "cluster-id: laconic-\(sandbox.token)\ndeployment-id: laconic-def\nstack-source: \(source)\n",
                to: sandbox.deployment + "/deployment.yml")
            let compose = sandbox.deployment + "/compose/docker-compose-\(sandbox.stack).yml"
            let before = try read(compose)
            let preview = try await sandbox.must("deploy", "import-legacy", sandbox.deployment, "--dry-run")
            #expect(preview.output.contains("write    spec.yml\n"), "\(preview)")
            #expect(!preview.output.contains("docker-compose"), "\(preview)")
            try await sandbox.must("deploy", "import-legacy", sandbox.deployment)
            #expect(try read(compose) == before)
            #expect(try read(sandbox.deployment + "/deployment.yml").contains("stack-source: \(source)"))
            let explained = try await sandbox.mustDeployment("config")
            #expect(explained.output.contains("from config"), "what containers got counts: \(explained)")
        }
    }

    @Test func `volumes that docker kept itself are named before they start empty`() async throws {
        try await withPodlessSandbox { sandbox in
            try writeLegacy(sandbox)
            try write(
                """
                services:
                  test: {image: a, volumes: ["plain:/a", "named:/b", "placed:/c", "theirs:/d", "test-data:/e"]}
                volumes:
                  plain:
                  named: {name: of-its-own}
                  placed: {driver_opts: {type: none, o: bind, device: ../data/placed}}
                  theirs: {external: true}
                  test-data:
                """, to: sandbox.deployment + "/compose/docker-compose-\(sandbox.stack).yml")
            try write(
                "stack: \(sandbox.stack)\ndeploy-to: compose\nvolumes: {test-data: ./data/test-data}\n",
                to: sandbox.deployment + "/spec.yml")
            let imported = try await sandbox.must("deploy", "import-legacy", sandbox.deployment)
            let told = imported.errors
            #expect(
                told.contains("the volume plain is docker's own, laconic-\(sandbox.token)_plain, and starts empty"),
                "\(told)")
            #expect(told.contains("the volume named is docker's own, of-its-own,"), "\(told)")
            #expect(told.contains("--volume of-its-own:/from"), "\(told)")
            for other in ["placed", "theirs", "test-data"] {
                #expect(!told.contains("the volume \(other) is docker's own"), "\(told)")
            }
        }
    }

    @Test func `a cluster's deployment keeps its claims, its pods and the scope of its values`() async throws {
        try await withPodlessSandbox { sandbox in
            try writeLegacy(sandbox)
            try write(
                "stack: \(sandbox.stack)\ndeploy-to: k8s\nkube-config: ./gone.yml # theirs\n"
                    + "config:\n  A: \"1\" # kept\nvolumes:\n  test-data:\n  more:\n",
                to: sandbox.deployment + "/spec.yml")
            try write("apiVersion: v1\nkind: Config\n", to: sandbox.deployment + "/kubeconfig.yml")
            try write("A=1\n", to: sandbox.deployment + "/config.env")
            try write(
                """
                services:
                  one: {image: a, environment: {A: mine}, volumes: ["test-data:/data", "more:/more"]}
                  two: {image: b}
                volumes: {test-data: , more: }
                """, to: sandbox.deployment + "/compose/docker-compose-\(sandbox.stack).yml")
            let imported = try await sandbox.must("deploy", "import-legacy", sandbox.deployment)
            #expect(imported.errors.contains("stays the claim laconic-def-test-data"), "\(imported)")
            let spec = try read(sandbox.deployment + "/spec.yml")
            #expect(spec.contains("A: \"1\" # kept"), "what says the same stays as it was written: \(spec)")
            #expect(spec.contains("config-scope: all") && spec.contains("namespace: laconic-"), "\(spec)")
            let rendered = try await sandbox.must("render", "--dir", sandbox.deployment).output
            #expect(rendered.contains("claimName: laconic-def-test-data"), "\(rendered)")
            #expect(!rendered.contains("kind: PersistentVolumeClaim"), "\(rendered)")
            #expect(rendered.components(separatedBy: "kind: Deployment").count == 2, "one pod of both: \(rendered)")
        }
    }

    @Test func `what is not a deployment of the predecessor is refused with its name, and left alone`() async throws {
        try await withPodlessSandbox { sandbox in
            try write("x", to: sandbox.deployment + "/notes.txt")
            let finished = try await sandbox.so(["deploy", "import-legacy", sandbox.deployment])
            #expect(
                finished.status == 66 && finished.errors.contains("no deployment.yml and spec.yml"), "\(finished)")
            #expect(try files(below: sandbox.deployment) == ["notes.txt"])
        }
    }

    @Test(.pods) func `a stack goes up, answers the direct verbs and goes down without a spec, and keeps its volume`()
        async throws
    {
        try await withSandbox { sandbox in
            try sandbox.writeStack(
                """
                services:
                  web:
                    image: IMAGE
                    command:
                      - sh
                      - -c
                      - "[ -e /data/m ] && echo filesystem is old || echo filesystem is fresh; touch /data/m; exec sleep 100000"
                    volumes: ["data:/data"]
                    ports: ["80"]
                    stop_grace_period: 0s
                volumes:
                  data:
                """)
            let stack = sandbox.stackDirectory
            let before = try await sandbox.must("--stack", stack, "deploy", "down")
            #expect(before.errors.contains("it is not up"))
            try await sandbox.must("--stack", stack, "deploy", "up")
            let port = try await sandbox.must("--stack", stack, "deploy", "port", "web", "80").output
            #expect(port.hasPrefix("0.0.0.0:"), "\(port)")
            let listing = try await sandbox.must("deploy", "exec", "--stack", stack, "web", "ls", "-a", "/data").output
            #expect(listing.contains("\nm\n"), "\(listing)")
            #expect(try await sandbox.must("deploy", "ps", "--stack", stack, "-o", "json").output.contains("\"web\""))
            try await sandbox.must("--stack", stack, "deploy", "down")
            try await sandbox.must("--stack", stack, "deploy", "up")
            try await eventually("the logs tell it") {
                try await sandbox.must("--stack", stack, "deploy", "logs").output.contains("filesystem is old")
            }
            try await sandbox.must("--stack", stack, "deploy", "down", "--delete-volumes")
            try await sandbox.must("--stack", stack, "deploy", "up")
            try await eventually("the logs tell it") {
                try await sandbox.must("--stack", stack, "deploy", "logs").output.contains("filesystem is fresh")
            }
            try await sandbox.must("--stack", stack, "deploy", "down", "--delete-volumes")
        }
    }
}
