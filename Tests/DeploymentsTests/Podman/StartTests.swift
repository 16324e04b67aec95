import Compose
import Deployments
import FoundationEssentials
import KubernetesObjects
import Rendering
import Runtimes
import TestSupport
import Testing

private let forever = "trap 'exit 0' TERM; while :; do sleep 1000 & wait $!; done"

@Suite(.pods) struct StartTests {
    @Test func `a second start changes nothing and a changed service alone is replaced`() async throws {
        try await withFixture { fixture in
            fixture.add([fixture.container("one", forever)])
            fixture.add([fixture.container("two", forever)])
            #expect(try await fixture.handle.start().changed)
            let first = try await fixture.running()
            #expect(first.keys.sorted() == ["one", "two"])

            #expect(try await fixture.handle.plan().isEmpty)
            let recorder = Recorder()
            let second = try await fixture.handle.start(events: recorder.handler)
            #expect(!second.changed)
            #expect(try await fixture.running() == first)
            #expect(await recorder.events().filter { $0.phase == .unchanged }.count == 2)

            fixture.add([fixture.container("two", forever) { $0.env = [EnvVar(name: "A", value: "b")] }])
            let plan = try await fixture.handle.plan()
            #expect(plan.items.filter { $0.action != .keep }.map(\.service) == ["two"])
            try await fixture.handle.start()
            let third = try await fixture.running()
            #expect(third["one"] == first["one"])
            #expect(third["two"] != nil && third["two"] != first["two"])

            fixture.remove("one")
            try await fixture.handle.start()
            #expect(try await fixture.running() == ["two": third["two"] ?? ""])
        }
    }

    @Test func `a working directory that the image lacks is made, and CRLF reaches a variable`() async throws {
        try await withFixture { fixture in
            let script =
                "[ \"$PWD\" = /no/such/dir ] && [ \"$(printf %s \"$A\" | od -An -c | tr -d ' ')\" = 'a\\r\\nb' ] && \(forever)"
            let container = fixture.container("one", script) {
                $0.workingDir = "/no/such/dir"
                $0.env = [EnvVar(name: "A", value: "a\r\nb")]
            }
            fixture.add([container])
            try await fixture.handle.start()
            #expect(try await fixture.running().keys.sorted() == ["one"])
            #expect(try await fixture.handle.plan().isEmpty)
        }
    }

    @Test func `what was stopped or removed behind our back is healed`() async throws {
        try await withFixture { fixture in
            for name in ["one", "two", "three"] { fixture.add([fixture.container(name, forever)]) }
            try await fixture.handle.start()
            let before = try await fixture.running()
            let one = try #require(before["one"])
            try await TestSupport.Podman.run(["stop", "-t", "0", one])
            try await TestSupport.Podman.run(["pod", "rm", "-f", "-t", "0", "\(fixture.namespace)_two"])
            let actions = try await fixture.handle.plan().items.map { "\($0.service ?? ""): \($0.action.rawValue)" }
            #expect(actions == ["one: start", "two: create", "three: keep"])
            try await fixture.handle.start()
            let after = try await fixture.running()
            #expect(after["one"] == one)
            #expect(after["two"] != nil && after["two"] != before["two"])
            #expect(after["three"] == before["three"])
        }
    }

    @Test func `dependencies are healthy and completed before their dependents start`() async throws {
        try await withFixture { fixture in
            let store = fixture.container("store", "sleep 1; touch /tmp/ready; \(forever)") {
                $0.readinessProbe = Fixture.probe("test -e /tmp/ready", retries: 30)
            }
            fixture.add([store])
            fixture.add(
                [fixture.container("seed", "echo seeded")], job: true, dependsOn: [Fixture.healthy("store")])
            fixture.add([fixture.container("web", forever)], dependsOn: [Fixture.completed("seed")])
            let recorder = Recorder()
            try await fixture.handle.start(events: recorder.handler)
            let order = await recorder.events().compactMap { event -> String? in
                switch event.phase {
                case .ready, .completed: event.service
                default: nil
                }
            }
            #expect(order == ["store", "seed", "web"])
            #expect(try await fixture.output(of: "seed") == ["seeded"])
            let status = try await fixture.handle.status()
            #expect(status.map(\.state) == [.running, .completed, .running])
            #expect(status.map(\.isReady) == [true, true, true])
            #expect(status.map(\.healthy) == [true, nil, nil])
            // A job that has ended well is not run again.
            #expect(try await !fixture.handle.start().changed)
            let lines = Lines()
            let code = try await fixture.handle.runJob("seed", line: { await lines.add($0.text) })
            #expect(code == 0)
            #expect(await lines.all == ["seeded"])
        }
    }

    @Test func `services reach each other by their names and aliases`() async throws {
        try await withFixture { fixture in
            fixture.add(
                [fixture.container("server", "echo hello > /tmp/index.html; exec httpd -f -p 80 -h /tmp")], replicas: 2)
            fixture.rendered.workloads[0].hostnames = ["server": ["server", "an_alias"]]
            var service = Service(metadata: ObjectMeta(name: "extra"), spec: ServiceSpec())
            service.spec.selector = ["app.kubernetes.io/name": "server"]
            fixture.rendered.objects.append(.service(service))
            let script = "for n in server an_alias extra; do wget -q -O - http://$n/ || exit 1; done"
            fixture.add(
                [fixture.container("client", script)], job: true,
                dependsOn: [WorkloadDependency(workload: "server", service: "server", condition: .started)],
                backoffLimit: 20)
            try await fixture.handle.start()
            #expect(try await fixture.output(of: "client").suffix(3) == ["hello", "hello", "hello"])
            #expect(try await fixture.handle.ps().filter { $0.service == "server" }.map(\.replica) == [1, 2])
        }
    }

    @Test func `init steps run in order and share volumes with the service`() async throws {
        try await withFixture { fixture in
            func mounting(_ name: String, _ script: String) -> Container {
                fixture.container(name, script) {
                    $0.volumeMounts = [VolumeMount(name: "scratch", mountPath: "/scratch")]
                }
            }
            let main = mounting("web", "cat /scratch/log; \(forever)")
            let steps = [mounting("a", "echo a >> /scratch/log"), mounting("b", "echo b >> /scratch/log")]
            fixture.add([main]) { spec in
                spec.initContainers = steps
                var volume = Volume(name: "scratch")
                volume.emptyDir = EmptyDirVolumeSource()
                spec.volumes = [volume]
            }
            try await fixture.handle.start()
            try await eventually("the service printed") { try await fixture.output(of: "web") == ["a", "b"] }
            #expect(try await !fixture.handle.start().changed)
        }
    }

    /// Before 4.5 podman takes no name of a secret that is longer than 64 characters.
    @Test func `secrets of long names reach the container`() async throws {
        try await withFixture { fixture in
            fixture.namespace += "-of-a-deployment-with-a-long-name"
            let long = "the-token-of-the-administrator-of-all-the-servers"
            fixture.generators = ["TOKEN": { randomToken(16) }]
            fixture.rendered.secrets = [
                SecretTemplate(
                    name: long, namespace: fixture.namespace, labels: [:],
                    entries: [
                        .init(key: long, value: .text(.secret("TOKEN"))),
                        .init(key: long + "-2", value: .text(.secret("TOKEN"))),
                    ]),
                SecretTemplate(
                    name: "web-env", namespace: fixture.namespace, labels: [:],
                    entries: [.init(key: "THE_PASSWORD_OF_THE_ADMINISTRATOR_OF_ALL", value: .text(.secret("TOKEN")))]),
            ]
            let web = fixture.container(
                "web", "cat /s/*; [ -n \"$THE_PASSWORD_OF_THE_ADMINISTRATOR_OF_ALL\" ] && echo; \(forever)"
            ) { container in
                container.envFrom = [EnvFromSource(secret: "web-env")]
                container.volumeMounts = [VolumeMount(name: "files", mountPath: "/s")]
            }
            fixture.add([web]) { spec in
                var volume = Volume(name: "files")
                volume.secret = SecretVolumeSource(secretName: long, defaultMode: 0o444)
                spec.volumes = [volume]
            }
            try await fixture.handle.start()
            try await eventually("printed") { try await fixture.output(of: "web").first?.utf8.count == 32 }
            #expect(try await !fixture.handle.start().changed)
        }
    }

    @Test func `secrets reach the container and no argument`() async throws {
        try await withFixture { fixture in
            fixture.generators = ["DB_PASSWORD": { "hush-\(randomToken(16))" }]
            fixture.rendered.secrets = [
                SecretTemplate(
                    name: "web-env", namespace: fixture.namespace, labels: [:],
                    entries: [
                        .init(key: "PASSWORD", value: .text(.secret("DB_PASSWORD"))),
                        .init(key: "HOME", value: .text(.secret("DB_PASSWORD"))),
                    ]),
                SecretTemplate(
                    name: "files", namespace: fixture.namespace, labels: [:],
                    entries: [.init(key: "token", value: .text(.secret("DB_PASSWORD")))]),
            ]
            let web = fixture.container("web", "") { container in
                container.command =
                    [
                        "/bin/sh", "-c", "echo \"$0|$PASSWORD|$HOME|$(cat /run/secrets/token)\"; \(forever)",
                    ].map { $0.replacing("$(cat", with: "$$(cat") } + ["it's $(PASSWORD)"]
                container.envFrom = [EnvFromSource(secret: "web-env")]
                container.volumeMounts = [VolumeMount(name: "files", mountPath: "/run/secrets")]
            }
            fixture.add([web]) { spec in
                var volume = Volume(name: "files")
                volume.secret = SecretVolumeSource(secretName: "files", defaultMode: 0o444)
                spec.volumes = [volume]
            }
            try await fixture.handle.start()
            let file = fixture.directory + "/generated-secrets.yml"
            #expect(try mode(file) == 0o600)
            let secret = try #require(
                try read(file).split(separator: "\n").last?.split(separator: ": ").last.map(String.init))
            #expect(secret.hasPrefix("hush-"))
            try await eventually("printed") {
                try await fixture.output(of: "web") == ["it's \(secret)|\(secret)|\(secret)|\(secret)"]
            }
            let inspected = try await TestSupport.Podman.run(
                ["container", "inspect", "--format", "{{.Config.CreateCommand}}", "\(fixture.namespace)_web_web"])
            #expect(!inspected.output.contains(secret))
            #expect(try files(below: fixture.directory, holding: secret) == ["generated-secrets.yml"])

            let before = try await fixture.running()
            try await fixture.handle.start()
            #expect(try await fixture.running() == before)
            try await fixture.handle.rotateSecret("DB_PASSWORD")
            #expect(try await fixture.handle.plan().items.map(\.action) == [.replace])
            try await fixture.handle.start()
            #expect(try await fixture.running() != before)
            let listing = try await fixture.handle.secrets()
            #expect(listing.map(\.name) == ["DB_PASSWORD"])
        }
    }

    @Test func `ConfigMaps are files and volumes outlive a stop`() async throws {
        try await withFixture { fixture in
            func build(_ text: String, into fixture: inout Fixture) {
                fixture.rendered.objects = []
                fixture.rendered.workloads = []
                fixture.rendered.objects = [
                    .configMap(ConfigMap(metadata: ObjectMeta(name: "conf"), data: ["a.txt": text])),
                    .persistentVolumeClaim(
                        PersistentVolumeClaim(
                            metadata: ObjectMeta(name: "data"),
                            spec: PersistentVolumeClaimSpec(storage: "1Gi", accessModes: ["ReadWriteOnce"]))),
                ]
                let script = "date >> /data/log; wc -l < /data/log; cat /etc/a.txt; \(forever)"
                let web = fixture.container("web", script) {
                    $0.volumeMounts = [
                        VolumeMount(name: "conf", mountPath: "/etc/a.txt", subPath: "a.txt"),
                        VolumeMount(name: "data", mountPath: "/data"),
                    ]
                }
                fixture.add([web]) { spec in
                    var (conf, data) = (Volume(name: "conf"), Volume(name: "data"))
                    conf.configMap = ConfigMapVolumeSource(name: "conf")
                    data.persistentVolumeClaim = PersistentVolumeClaimVolumeSource(claimName: "data")
                    spec.volumes = [conf, data]
                }
            }
            build("first\n", into: &fixture)
            try await fixture.handle.start()
            try await eventually("printed") { try await fixture.output(of: "web") == ["1", "first"] }
            try await fixture.handle.stop()
            #expect(try await fixture.running() == [:])
            build("second\n", into: &fixture)
            try await fixture.handle.start()
            try await eventually("printed") { try await fixture.output(of: "web") == ["2", "second"] }
        }
    }

    @Test func `an interrupted start is finished by the next`() async throws {
        try await withFixture { fixture in
            for name in ["one", "two", "three", "four"] { fixture.add([fixture.container(name, forever)]) }
            let handle = fixture.handle
            for phase in ["one", "two", "three"] {
                let (seen, announce) = AsyncStream.makeStream(of: Void.self)
                let task = Task {
                    try await handle.start { event in
                        if event == Event(phase, .creating) { announce.yield() }
                        if event == Event(phase, .unchanged) { announce.yield() }
                    }
                }
                for await _ in seen { break }
                task.cancel()
                _ = await task.result
            }
            try await handle.start()
            #expect(try await fixture.running().keys.sorted() == ["four", "one", "three", "two"])
            #expect(try await !handle.start().changed)
        }
    }

    @Test func `half a pod of a crashed start is replaced`() async throws {
        try await withFixture { fixture in
            fixture.add([fixture.container("web", forever)])
            let label = "stack-orchestrator.dev/deployment=\(fixture.id)"
            try await TestSupport.Podman.run(
                ["pod", "create", "--infra=false", "--label", label, "--name", "\(fixture.namespace)_web"])
            try await TestSupport.Podman.run(
                ["pod", "create", "--infra=false", "--label", label, "--name", "\(fixture.namespace)_gone"])
            try await fixture.handle.start()
            #expect(try await fixture.running().keys.sorted() == ["web"])
            let pods = try await TestSupport.Podman.lines(
                "pod", "ps", "--format", "{{.Name}}", "--filter", "label=\(label)")
            #expect(pods == ["\(fixture.namespace)_web"])
        }
    }

    @Test func `two containers in one pod share its address`() async throws {
        try await withFixture { fixture in
            fixture.add([
                fixture.container("server", "echo hi > /tmp/index.html; exec httpd -f -p 80 -h /tmp"),
                fixture.container("side", "until wget -q -O - http://127.0.0.1/; do sleep 0.1; done; \(forever)"),
            ])
            try await fixture.handle.start()
            try await eventually("the neighbour answered") {
                try await fixture.output(of: "server").contains("hi")
            }
            #expect(try await !fixture.handle.start().changed)
        }
    }

    @Test func `published ports answer and are reported`() async throws {
        try await withFixture { fixture in
            let port = try freePort()
            let web = fixture.container("web", "echo page > /tmp/index.html; exec httpd -f -p 80 -h /tmp") {
                var published = ContainerPort(containerPort: 80, protocol: "TCP")
                (published.hostPort, published.hostIP) = (port, "127.0.0.1")
                $0.ports = [published]
            }
            fixture.add([web])
            try await fixture.handle.start()
            #expect(try await fixture.handle.port("web", containerPort: 80).hostPort == port)
            try await eventually("the port answers") {
                try await run("busybox", ["wget", "-q", "-O", "-", "http://127.0.0.1:\(port)/"], environment: [:])
                    .output
                    == "page\n"
            }
            // The changed service takes its port over from itself.
            fixture.add([web]) { $0.hostname = "other" }
            try await fixture.handle.start()
            await #expect(throws: DeploymentError.self) { try await fixture.handle.port("web", containerPort: 81) }
        }
    }
}
