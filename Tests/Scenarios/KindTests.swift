import FoundationEssentials
import KubernetesTestSupport
import TestSupport
import Testing
import YAML

/// `k8s-kind`: kind and docker as they answer (recorded behaviour, in small programs of the test), and an API server of this process for the cluster.
@Suite struct KindTests {
    private struct KindHost {
        let sandbox: Sandbox
        let kind: RecordedKind
        var world: String { kind.world }

        init(_ sandbox: Sandbox, _ server: TestAPIServer, clusters: String = "") throws {
            self.sandbox = sandbox
            kind = try RecordedKind(sandbox.directory + "/world", server, clusters: clusters)
        }

        func setNode(mounts: String = "", ports: [Int] = [], id: String = "n1", startedAt: String = "") throws {
            try kind.setNode(mounts: mounts, ports: ports, id: id, startedAt: startedAt)
        }

        func changes() throws -> [String] { try kind.changes() }

        func so(_ arguments: String...) async throws -> Finished {
            try await sandbox.so(arguments, environment: ["PATH": kind.path(sandbox.environment)])
        }

        func start() async throws -> Finished { try await so("deployment", "--dir", sandbox.deployment, "start") }
    }

    private let compose = """
        services:
          app:
            image: localhost/app:1
            ports: ["18080:8080"]
            volumes: ["data:/data"]
          other:
            image: docker.io/library/elsewhere:1
        volumes: {data: }
        """

    private func withKind(
        clusters: String = "", spec: String = "", isolation: isolated (any Actor)? = #isolation,
        _ body: (KindHost, TestAPIServer) async throws -> Void
    ) async throws {
        try await withAPIServer { server in
            try await withPodlessSandbox { sandbox in
                let host = try KindHost(sandbox, server, clusters: clusters)
                try sandbox.writeStack(compose)
                try write("stack: \(sandbox.stackDirectory)\ndeploy-to: k8s-kind\n" + spec, to: sandbox.specFile)
                try await sandbox.must(
                    "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
                try await body(host, server)
            }
        }
    }

    private let route =
        "network: {http-proxy: [{host-name: app.localhost, routes: [{path: /, proxy-to: 'app:8080'}]}]}\n"

    @Test
    func
        `the first start makes the cluster with what it needs, brings the images, and installs routes once`()
        async throws
    {
        try await withKind(spec: route + "volumes: {data: ./data/data}\nkind-node-image: kindest/node:v1.35.0\n") {
            host, server in
            let planned = try await host.so("deployment", "--dir", host.sandbox.deployment, "plan")
            #expect(planned.succeeded && planned.output.contains("Cluster"), "\(planned)")
            #expect(try host.changes() == [])
            let started = try await host.start()
            #expect(started.succeeded, "\(started)")
            #expect(started.errors.contains("loading localhost/app:1 into the cluster so"), "\(started)")
            #expect(started.errors.contains("localhost:30000 (the cluster's port instead of 18080)"), "\(started)")
            let calls = try host.changes()
            #expect(calls.count == 2, "\(calls)")
            #expect(calls[0].hasPrefix("kind create cluster --name so --config - --kubeconfig "), "\(calls)")
            #expect(calls[1] == "kind load docker-image --name so localhost/app:1", "\(calls)")
            let config = try read(host.world + "/config.yml")
            // The directory in which the deployment stands serves its volume, and those of its neighbours.
            let parent = host.sandbox.deployment.split(separator: "/").dropLast().map { "/\($0)" }.joined()
            #expect(
                config.contains("hostPath: \(parent)\n") && config.contains("containerPath: /host\(parent)\n"),
                "\(config)")
            #expect(!config.contains("data/data"), "\(config)")
            #expect(config.contains("image: kindest/node:v1.35.0"), "\(config)")
            #expect(config.contains("containerPort: 30063") && config.contains("hostPort: 443"), "\(config)")
            // The certificates of host names outlive the cluster: they are kept on this host.
            #expect(config.contains("/so/kind/certificates\n") && config.contains("/var/lib/so-ingress"), "\(config)")
            #expect(await server.store.names("deployments", namespace: "so-ingress") == ["traefik"])
            #expect(await server.store.names("deployments", namespace: host.sandbox.namespace) == ["app", "other"])

            // What was made is found again, and is not made twice.
            try host.setNode(
                mounts:
                    #"{"Source":"\#(parent)","Destination":"/host\#(parent)"}"#,
                ports: [80, 443] + Array(30_000...30_063))
            await server.store.forgetWrites()
            let again = try await host.start()
            #expect(again.succeeded && again.errors.contains("nothing to change"), "\(again)")
            #expect(try host.changes() == [])
            #expect(await server.store.writes == [])
        }
    }

    @Test
    func `an image that node and engine know by different ids is brought over once, and again when either changes`()
        async throws
    {
        try await withKind(clusters: "dev\n") { host, _ in
            let load = ["kind load docker-image --name dev localhost/app:1"]
            // Docker's containerd image store names it by its manifests.
            try write("sha256:manifests\n", to: host.world + "/id")
            #expect(try await host.start().succeeded)
            #expect(try host.changes() == load)
            #expect(try await host.start().succeeded)
            #expect(try host.changes() == [])
            try write("sha256:rebuilt\n", to: host.world + "/id")
            let rolled = try await host.start()
            #expect(rolled.errors.contains("an image was built again: localhost/app:1=rebuilt"), "\(rolled)")
            #expect(try host.changes() == load)
            #expect(try await host.start().errors.contains("nothing to change"))
            try host.setNode(ports: Array(30_000...30_063), id: "n2")
            #expect(try await host.start().succeeded)
            #expect(try host.changes() == load)
        }
    }

    @Test func `an image that podman built reaches a kind whose nodes run in docker, by the name that pods use`()
        async throws
    {
        try await withKind(clusters: "dev\n") { host, _ in
            try write(
                """
                #!/bin/bash
                cd \(host.world)
                case "$1 $2" in
                "image inspect") [ "$5" = so/app:local ] && echo cc ;;
                "save --format") echo archive > "$5" ;;
                esac
                """, to: host.world + "/bin/podman", mode: 0o755)
            try host.sandbox.writeStack(compose.replacing("localhost/app:1", with: "so/app:local"))
            try await host.sandbox.must(
                "deploy", "create", "--update", "--spec-file", host.sandbox.specFile, "--deployment-dir",
                host.sandbox.deployment)
            let started = try await host.start()
            #expect(started.succeeded, "\(started)")
            let loads = try host.changes()
            #expect(loads.count == 1 && loads[0].hasPrefix("kind load image-archive --name dev "), "\(loads)")
            #expect(try read(host.world + "/images.json").contains("docker.io/so/app:local"))
            #expect(try await host.start().succeeded)
            #expect(try host.changes() == [])
        }
    }

    @Test func `a cluster whose creation was interrupted is recreated, a stopped node is named`() async throws {
        try await withKind(clusters: "so\n") { host, server in
            let state = host.sandbox.directory + "/home/.local/share/so/kind"
            try write("", to: state + "/making-so", mode: 0o600)
            // Somebody has made another one by hand since: it stays.
            #expect(try await host.start().succeeded)
            #expect(try host.changes() == ["kind load docker-image --name so localhost/app:1"])

            try write("", to: state + "/making-so", mode: 0o600)
            try write(#"{"images":[]}"#, to: host.world + "/images.json")
            try host.setNode(
                mounts: #"{"Source":"/x","Destination":"/etc/containerd/high-memlock.json"}"#,
                ports: Array(30_000...30_063))
            let started = try await host.start()
            #expect(started.succeeded && started.errors.contains("was interrupted"), "\(started)")
            let calls = try host.changes().map { $0.split(separator: " ").prefix(5).joined(separator: " ") }
            #expect(
                calls == [
                    "kind delete cluster --name so", "kind create cluster --name so",
                    "kind load docker-image --name so",
                ], "\(calls)")
            #expect(!exists(state + "/making-so"))

            try write(
                try read(host.world + "/node.json").replacing("\"Running\":true", with: "\"Running\":false"),
                to: host.world + "/node.json")
            let stopped = try await host.start()
            #expect(stopped.status == 69 && stopped.errors.contains("docker start so-control-plane"), "\(stopped)")
        }
    }

    @Test func `without --deploy-to, init takes kind where kind and an engine work, and says so`() async throws {
        try await withKind { host, _ in
            let stack = host.sandbox.stackDirectory
            let chosen = try await host.so("deploy", "init", "--stack", stack, "--dry-run", "--output", "-")
            #expect(chosen.succeeded && chosen.output.contains("deploy-to: k8s-kind"), "\(chosen)")
            let written = try await host.so("deploy", "init", "--stack", stack, "--output", host.world + "/spec.yml")
            #expect(written.errors.contains("(deploy-to: k8s-kind; kind and docker work here;"), "\(written)")
            let said = try await host.so(
                "deploy", "init", "--stack", stack, "--deploy-to", "podman", "--output", host.world + "/spec.yml")
            #expect(said.errors.contains("(deploy-to: podman; kept the old one as spec.yml.bak)"), "\(said)")
        }
    }

    @Test func `a cluster of any name is reused, and several are told apart by the spec`() async throws {
        try await withKind(clusters: "dev\n") { host, _ in
            #expect(try await host.start().succeeded)
            #expect(try host.changes() == ["kind load docker-image --name dev localhost/app:1"])
            try write("dev\nwork\n", to: host.world + "/clusters")
            let refused = try await host.start()
            #expect(refused.status == 65 && refused.errors.contains("kind-cluster-name: dev"), "\(refused)")
            #expect(try host.changes() == [])
        }
    }

    @Test(arguments: [
        ("volumes: {data: ./data/data}\n", "data/data is not mounted", true),
        ("", "30000-30063", false),
        (
            "network: {http-proxy: [{host-name: a.localhost, routes: [{path: /, proxy-to: 'app:8080'}]}]}\n",
            "to 80 and 443 of", false
        ),
        ("security: {unlimited-memlock: true}\n", "no runtime handler high-memlock", true),
    ])
    func `what the cluster was made without is named before anything changes`(
        spec: String, named: String, hasPorts: Bool
    ) async throws {
        try await withKind(clusters: "dev\n", spec: spec) { host, server in
            if !hasPorts { try host.setNode(mounts: "", ports: []) }
            let planned = try await host.so("deployment", "--dir", host.sandbox.deployment, "plan")
            let refused = try await host.start()
            #expect(refused.status == 65 && refused.errors.contains(named), "\(refused)")
            #expect(planned.status == 65 && planned.errors == refused.errors, "\(planned)")
            #expect(refused.errors.contains("so cluster destroy"), "\(refused)")
            #expect(try host.changes() == [])
            #expect(await server.store.writes == [])
        }
    }

    private func heartbeat(_ time: String) -> Node {
        .map([
            ("kind", .string("Lease")), ("apiVersion", .string("coordination.k8s.io/v1")),
            ("metadata", .map([("name", .string("dev-control-plane")), ("namespace", .string("kube-node-lease"))])),
            ("spec", .map([("renewTime", .string(time))])),
        ])
    }

    private func proxy(since time: String) -> Node {
        let state = Node.map([("state", .map([("running", .map([("startedAt", .string(time))]))]))])
        let ready = Node.map([("type", .string("Ready")), ("status", .string("True"))])
        return .map([
            ("kind", .string("Pod")), ("apiVersion", .string("v1")),
            (
                "metadata",
                .map([
                    ("name", .string("kube-proxy-x")), ("namespace", .string("kube-system")),
                    ("labels", .map([("k8s-app", .string("kube-proxy"))])),
                ])
            ),
            ("spec", .map([("nodeName", .string("dev-control-plane"))])),
            ("status", .map([("containerStatuses", .list([state])), ("conditions", .list([ready]))])),
        ])
    }

    @Test(arguments: [
        ("2026-11-22T07:59:50Z", "2026-11-22T08:00:20Z"), ("2026-11-22T08:00:20Z", "2026-11-22T07:00:00Z"),
    ])
    func `what the API says from before the node was started is not believed`(lease: String, started: String)
        async throws
    {
        try await withKind(clusters: "dev\n") { host, server in
            try host.setNode(ports: [80, 443] + Array(30_000...30_063), startedAt: "2026-11-22T08:00:00.5Z")
            await server.store.put("leases", heartbeat(lease))
            await server.store.put("pods", proxy(since: started))
            let words = ["deployment", "--dir", host.sandbox.deployment, "start"]
            let path = host.kind.path(host.sandbox.environment)
            let finished = try await host.sandbox.so(words, environment: ["PATH": path]) { running in
                try await eventually("the start waits") { running.errors.contains("waiting for the kind cluster dev") }
                await server.store.put("leases", heartbeat("2026-11-22T08:00:21Z"))
                await server.store.put("pods", proxy(since: "2026-11-22T08:00:22Z"))
            }
            #expect(finished.succeeded, "\(finished)")
        }
    }

    @Test func `no stop destroys the shared cluster; destroy lists what goes with it and wants to be told`()
        async throws
    {
        try await withKind(clusters: "dev\n") { host, _ in
            #expect(try await host.start().succeeded)
            _ = try host.changes()
            let stopped = try await host.so(
                "deployment", "--dir", host.sandbox.deployment, "stop", "--perform-cluster-management")
            #expect(stopped.succeeded, "\(stopped)")
            #expect(try host.changes() == [])
            let status = try await host.so("cluster", "status", "-o", "json")
            #expect(status.succeeded && status.output.contains("dev-control-plane"), "\(status)")
            #expect(status.output.contains(host.sandbox.deployment), "\(status)")
            let asked = try await host.so("cluster", "destroy")
            #expect(asked.status == 64 && asked.output.contains(host.sandbox.deployment), "\(asked)")
            #expect(asked.errors.contains("also destroys 1 deployment"), "\(asked)")
            #expect(try host.changes() == [])
            #expect(try await host.so("cluster", "destroy", "--yes").succeeded)
            #expect(try host.changes().first?.hasPrefix("kind delete cluster --name dev --kubeconfig ") ?? false)
            #expect(try await host.so("cluster", "status").status == 69)
        }
    }
}
