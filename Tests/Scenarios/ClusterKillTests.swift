import KubernetesTestSupport
import TestSupport
import Testing

/// Commands that are killed at any moment, on an API of this process; `scripts/kill-rounds-cluster` does the same on a real one.
@Suite struct ClusterKillTests {
    private let compose = """
        services:
          db:
            image: localhost/x:1
            environment: {PASSWORD: "${PASSWORD}"}
            volumes: ["data:/data"]
          app:
            image: localhost/x:1
            environment: {VALUE: "${VALUE}"}
            depends_on: [db]
        volumes: {data: }
        """
    private let commands = [["start"], ["start"], ["stop"], ["stop", "--delete-namespace"]]

    private func spec(_ value: Int, _ sandbox: Sandbox) -> String {
        """
        stack: \(sandbox.stackDirectory)
        deploy-to: k8s
        kube-config: \(sandbox.directory)/kubeconfig
        volumes: {data: /srv/data}
        config: {PASSWORD: $generate:hex:8$, VALUE: v\(value)}

        """
    }

    @Test func `what was killed is finished by the same command, and what was stopped by a start`() async throws {
        var generator = SeededGenerator.ofTest()
        try await withAPIServer { server in
            try await withPodlessSandbox { sandbox in
                let certificate = server.kubeconfig.replacing("/kubeconfig", with: "/cert.pem")
                let access = try read(server.kubeconfig).replacing("cert.pem", with: certificate)
                try write(access, to: sandbox.directory + "/kubeconfig")
                try sandbox.writeStack(compose)
                try write(spec(0, sandbox), to: sandbox.specFile)
                try await sandbox.must(
                    "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
                for round in 1...6 {
                    let command = commands.randomElement(using: &generator) ?? ["start"]
                    if command == ["start"] {
                        try write(spec(round, sandbox), to: sandbox.specFile)
                        try await sandbox.must(
                            "deploy", "create", "--update", "--spec-file", sandbox.specFile, "--deployment-dir",
                            sandbox.deployment)
                    }
                    let pause = Int.random(in: 20...600, using: &generator)
                    let words = ["deployment", "--dir", sandbox.deployment]
                    _ = try await sandbox.so(words + command) { running in
                        try await Task.sleep(for: .milliseconds(pause))
                        running.killNow()
                    }
                    let again = Bool.random(using: &generator) ? command : ["start"]
                    let finished = try await sandbox.so(words + again)
                    #expect(finished.succeeded, "round \(round), killed after \(pause) ms: \(finished)")
                    let names = await server.store.names("deployments", namespace: sandbox.namespace)
                    #expect(names == (again == ["start"] ? ["app", "db"] : []), "round \(round)")
                }
            }
        }
    }
}
