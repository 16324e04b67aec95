import FoundationEssentials
import TestSupport
import Testing

/// What the shell tests of stack-orchestrator do, step by step (`reference/stack-orchestrator.md`, section 1).
@Suite(.pods) struct PredecessorStoryTests {
    private let compose = """
        services:
          test:
            image: IMAGE
            command: ["sh", "/opt/run.sh"]
            environment:
              PARAM_1: ${PARAM_1:-FAILED}
              PARAM_2: from the compose file
              PARAM_3: ${PARAM_3:-FAILED}
            volumes:
              - ../config/STACK/run.sh:/opt/run.sh
              - ../config/STACK/settings.env:/opt/settings.env
              - data-bind:/data
              - data-auto:/data2
              - test-config:/config:ro
            stop_grace_period: 0s
        volumes:
          data-bind:
          data-auto:
          test-config:
        """

    private let script = """
        for directory in /data /data2; do
            [ -e $directory/created ] && echo "$directory filesystem is old" || echo "$directory filesystem is fresh"
            touch $directory/created
        done
        echo "param-1: $PARAM_1, param-2: $PARAM_2, param-3: $PARAM_3"
        cat /opt/settings.env /config/test_config
        exec sleep 100000
        """

    private let job = "services: {test-job: {image: IMAGE, command: [echo, the job ran]}}\n"

    private func writeStack(_ sandbox: Sandbox) throws {
        try sandbox.writeStack(
            compose.replacing("STACK", with: sandbox.stack), jobs: ["test-job": job],
            config: ["run.sh": script + "\n", "settings.env": "ANSWER=42\n"])
    }

    private func writeHook(_ name: String, _ script: String, _ sandbox: Sandbox) throws {
        try write("#!/bin/sh\n\(script)\n", to: "\(sandbox.stackDirectory)/hooks/\(name)", mode: 0o755)
    }

    /// Waits until the logs hold all of this.
    private func logs(_ sandbox: Sandbox, hold words: String...) async throws {
        try await eventually("the logs hold \(words)") {
            let logs = try await sandbox.mustDeployment("logs").output
            return words.allSatisfy { logs.contains($0) }
        }
    }

    @Test(.podmanOnly)
    func `init, create, update, start, stop, restart and delete do what the predecessor's test looks for`() async throws
    {
        try await withSandbox { sandbox in
            try writeStack(sandbox)
            try writeHook("create", "echo create-command-output-data > create-file", sandbox)
            try writeHook("start", "echo v1 > marker", sandbox)
            try await sandbox.must(
                "--stack", sandbox.stackDirectory, "deploy", "init", "--deploy-to", "podman", "--output",
                sandbox.specFile, "--config",
                "PARAM_1=PASSED,PARAM_3=FAST")
            try await sandbox.must(
                "--stack", sandbox.stackDirectory, "deploy", "create", "--spec-file", sandbox.specFile,
                "--deployment-dir", sandbox.deployment)
            let directory = sandbox.deployment
            #expect(try read(directory + "/create-file") == "create-command-output-data\n")
            try write("dbfc7a4d\n", to: directory + "/data/test-config/test_config")

            try await update(sandbox)

            try await sandbox.mustDeployment("start")
            try await logs(
                sandbox, hold: "/data filesystem is fresh", "/data2 filesystem is fresh", "param-1: PASSED",
                "param-2: from the compose file", "param-3: FASTER", "ANSWER=42", "dbfc7a4d", "the job ran")
            #expect(try read(directory + "/marker") == "v1\n")

            try await sandbox.mustDeployment("stop")
            try await sandbox.mustDeployment("start")
            try await logs(sandbox, hold: "/data filesystem is old", "/data2 filesystem is old")

            try writeHook("start", "echo v2 > marker", sandbox)
            try await sandbox.mustDeployment("restart", "--stack-path", sandbox.stackDirectory)
            #expect(try read(directory + "/marker") == "v2\n")

            try await sandbox.mustDeployment("stop", "--delete-volumes")
            #expect(!exists(directory + "/data/data-bind/created"))
        }
    }

    /// `create --update` over edited files and data.
    private func update(_ sandbox: Sandbox) async throws {
        let directory = sandbox.deployment
        let settings = "\(directory)/config/\(sandbox.stack)/settings.env"
        try write("original\n", to: directory + "/data/data-bind/sync-test-marker.txt")
        try write("ANSWER=69\n", to: settings)
        let identity = try read(directory + "/deployment.yml")
        try write(try read(sandbox.specFile).replacing("FAST", with: "FASTER"), to: sandbox.specFile)
        try await sandbox.update()
        #expect(try read(directory + "/config.env").contains("PARAM_3=FASTER"))
        #expect(try read(directory + "/spec.yml").contains("FASTER"))
        #expect(exists(directory + "/config.env.bak"))
        #expect(try read(settings) == "ANSWER=42\n" && read(settings + ".bak") == "ANSWER=69\n")
        #expect(!exists("\(directory)/config/\(sandbox.stack)/run.sh.bak"))
        #expect(try read(directory + "/data/data-bind/sync-test-marker.txt") == "original\n")
        #expect(try read(directory + "/deployment.yml") == identity)
    }

    @Test(.enabled(if: TestCluster.named != nil, "SO_TEST_KUBECONFIG names no cluster"))
    func `on a cluster ConfigMaps, a Secret that was there, a job and a clean end are what its test looks for`()
        async throws
    {
        try await withSandbox { sandbox in
            let cluster = try #require(TestCluster.named)
            try writeStack(sandbox)
            let data = "/tmp/so-node-\(sandbox.token)/data-bind"
            try sandbox.writeSpec(
                """
                namespace: \(sandbox.namespace)
                config: {PARAM_1: PASSED}
                configmaps: {test-config: ./configmaps/test-config}
                secrets: {test-secret: [TEST_SECRET_KEY]}
                volumes: {data-bind: \(data), data-auto: }

                """)
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
            try write("dbfc7a4d\n", to: sandbox.deployment + "/configmaps/test-config/test_config")
            let space = sandbox.namespace
            _ = try await cluster.kubectl("create", "namespace", space)
            _ = try await cluster.kubectl(
                "-n", space, "create", "secret", "generic", "test-secret", "--from-literal=TEST_SECRET_KEY=a")

            try await sandbox.mustDeployment("start")
            try await logs(
                sandbox, hold: "/data filesystem is fresh", "/data2 filesystem is fresh", "param-1: PASSED",
                "ANSWER=42",
                "dbfc7a4d", "the job ran")
            let secret = try await sandbox.mustDeployment("exec", "test", "sh", "-c", "echo $TEST_SECRET_KEY").output
            #expect(secret == "a\n")

            try await sandbox.mustDeployment("stop", "--delete-volumes")
            let kinds = "deployments,jobs,ingresses,services,configmaps,persistentvolumeclaims,pods"
            let left = try await cluster.kubectl(
                "-n", space, "get", kinds, "-l", "app.kubernetes.io/managed-by=so", "-o", "name")
            #expect(left.succeeded && left.output == "", "\(left)")
            let phase = try await cluster.kubectl("get", "namespace", space, "-o", "jsonpath={.status.phase}")
            #expect(phase.output == "Active")
            #expect(try await cluster.kubectl("-n", space, "get", "secret", "test-secret").succeeded)

            try await sandbox.mustDeployment("start")
            try await logs(sandbox, hold: "/data filesystem is old", "/data2 filesystem is fresh")
            _ = try await sandbox.deployment("stop", "--delete-volumes")
            _ = try await cluster.kubectl("delete", "namespace", space)
        }
    }
}
