import Compose
import ExternalTools
import FoundationEssentials
import KubernetesObjects
import Rendering
import TestSupport
import Testing
import YAML

@testable import Deployments

@Suite struct PlanTests {
    private var fixture: Fixture { Fixture(directory: "/d", namespace: "so-x", image: "image:1", id: "i") }

    private func translate(_ fixture: Fixture, secrets: [String: [String: [UInt8]]] = [:]) -> PodTranslator.Result {
        var translator = PodTranslator(model: fixture.model, secrets: secrets, storedSecrets: [], key: [1])
        return translator.translate()
    }

    @Test(arguments: [
        ("a$(X)b", "a1b"), ("$$(X)", "$(X)"), ("$(UNKNOWN)", "$(UNKNOWN)"), ("$$", "$"), ("$X $(", "$X $("), ("$", "$"),
    ])
    func variablesExpandAsInKubernetes(_ text: String, _ expected: String) {
        #expect(expand(text) { $0 == "X" ? .plain("1") : nil }.literal == expected)
    }

    @Test(arguments: [("500m", 0.5), ("2", 2), ("1.5", 1.5), ("64Mi", 67_108_864), ("1G", 1e9), ("1e3", 1000)])
    func quantitiesKeepTheirUnit(_ text: String, _ value: Double) {
        #expect(Quantity.value(text) == value)
        #expect(Quantity.value("5 GiB") == nil)
    }

    @Test func aContainersSettingsBecomePodmansOptions() throws {
        var fixture = fixture
        let web = fixture.container("web", "run") { container in
            container.workingDir = "/srv"
            var security = SecurityContext()
            (security.runAsUser, security.runAsGroup, security.readOnlyRootFilesystem) = (10, 20, true)
            security.capabilities = Capabilities(add: ["NET_ADMIN"], drop: ["ALL"])
            container.securityContext = security
            container.resources = ResourceRequirements(limits: ["cpu": "500m", "memory": "64Mi"])
            container.env = [EnvVar(name: "A", value: "x y"), EnvVar(name: "B", value: "$(A)!")]
            var port = ContainerPort(containerPort: 80, protocol: "TCP")
            (port.hostPort, port.hostIP) = (8080, "::1")
            container.ports = [port]
        }
        fixture.add([web]) { spec in
            spec.hostname = "h"
            spec.hostAliases = [HostAlias(ip: "1.2.3.4", hostnames: ["other"])]
        }
        let pod = try #require(translate(fixture).pods.first)
        let options = try #require(pod.containers.first).options
        let line = options.joined(separator: " ")
        for part in [
            "--hostname h --network so-x --network-alias web --publish [::1]:8080:80/tcp --add-host other:1.2.3.4",
            "--restart always --stop-timeout 1", "--workdir /srv", "--user 10:20",
            "--read-only --read-only-tmpfs=false",
            "--cap-add NET_ADMIN --cap-drop ALL", "--cpus 0.5 --memory 67108864b", "--env A=x y --env B=x y!",
        ] {
            #expect(line.contains(part), "\(part) in \(line)")
        }
    }

    @Test func whatPodmanCannotDoIsNamed() {
        var fixture = fixture
        let web = fixture.container("web", "run") { $0.volumeMounts = [VolumeMount(name: "share", mountPath: "/s")] }
        fixture.add([web], replicas: 2) { spec in
            var volume = Volume(name: "share")
            volume.nfs = NFSVolumeSource(server: "s", path: "/p")
            spec.volumes = [volume]
            var dns = PodDNSConfig()
            dns.nameservers = ["9.9.9.9"]
            spec.dnsConfig = dns
        }
        fixture.rendered.objects.append(
            .ingress(
                Ingress(
                    metadata: ObjectMeta(name: "r"),
                    spec: IngressSpec(rules: [
                        IngressRule(host: "a.example", paths: [IngressPath(path: "/", service: "web", port: 80)])
                    ]))))
        let result = translate(fixture)
        let errors = result.findings.filter { $0.severity == .error }.map(\.what)
        #expect(errors.first?.contains("web: the kind of volume at /s cannot be mounted by podman") == true)
        let warnings = result.findings.filter { $0.severity == .warning }.map(\.what).joined(separator: "\n")
        #expect(warnings.contains("a.example") && warnings.contains("9.9.9.9"))
    }

    @Test func aSecretNeverStandsInAnOption() throws {
        var fixture = fixture
        let web = fixture.container("web", "") {
            $0.command = ["run", "--token=$(TOKEN)"]
            $0.envFrom = [EnvFromSource(secret: "web-env")]
            $0.env = [EnvVar(name: "URL", value: "https://$(TOKEN)@host")]
        }
        fixture.add([web])
        let values = ["web-env": ["TOKEN": Array("hush".utf8), "PATH": Array("hush".utf8)]]
        let container = try #require(translate(fixture, secrets: values).pods.first?.containers.first)
        #expect(!container.options.contains { $0.contains("hush") })
        #expect(container.secretEnvironment == ["TOKEN": "hush", "URL": "https://hush@host"])
        #expect(container.secretObjects.map(\.value) == [Array("hush".utf8)])
        #expect(container.entrypoint?.last?.pieces == [.text("--token="), .secret("TOKEN")])
    }

    @Test func theFingerprintChangesWithEverythingThatMatters() throws {
        func fingerprint(_ image: String = "id", key: [UInt8] = [1], change: (inout Container) -> Void = { _ in })
            throws -> String
        {
            var fixture = fixture
            fixture.add([fixture.container("web", "run", configure: change)])
            let pod = try #require(translate(fixture).pods.first)
            return Fingerprint.of(pod, images: ["image:1": image], key: key)
        }
        let all = try [
            fingerprint(), fingerprint("other"), fingerprint(key: [2]), fingerprint { $0.args = [] },
            fingerprint { $0.env = [EnvVar(name: "A", value: "1")] }, fingerprint { $0.tty = true },
        ]
        #expect(Set(all).count == all.count)
        #expect(try fingerprint() == all[0])
    }

    @Test func secretsAreMadeOnceAndKeptThroughEverythingButRotation() throws {
        let directory = try makeTemporaryDirectory()
        defer { removeTree(directory) }
        let store = SecretStore(file: directory + "/s.yml")
        let generators: [String: DeploymentModel.SecretMaker] = ["A": { randomToken() }, "B": { "no: \"quoted\"\n" }]
        let first = try store.ensure(generators)
        #expect(try store.ensure(generators) == first)
        #expect(first["B"] == "no: \"quoted\"\n")
        #expect(try store.ensure([:]) == first)
        #expect(try mode(store.file) == 0o600)
        try store.rotate("A", generators: generators)
        let rotated = try store.load()
        #expect(rotated["A"] != first["A"] && rotated["B"] == first["B"])
        #expect(throws: DeploymentError.self) { try store.rotate("C", generators: generators) }
        #expect(
            try store.listing(generators: ["A": { "" }], credentials: ["T": "x"]).map(\.source)
                == [.generated, .undeclared, .credentialsFile])
        try write("- not a mapping: [", to: store.file)
        #expect(throws: DeploymentError.self) { try store.ensure(generators) }
    }

    @Test func aFileOfSecretsThatHoldsNoMappingIsNotReplaced() throws {
        let directory = try makeTemporaryDirectory()
        defer { removeTree(directory) }
        let store = SecretStore(file: directory + "/s.yml")
        try write("[a, b]\n", to: store.file)
        #expect(throws: DeploymentError.self) { try store.ensure(["A": { "x" }]) }
        #expect(try read(store.file) == "[a, b]\n")
    }

    @Test func waitingDependentsLearnOfAFailure() async throws {
        let board = Board(replicas: ["a": 2, "b": 1])
        async let ready = board.wait(for: "a", .ready)
        await board.reach(.ready, workload: "a", replica: 1)
        #expect(await board.stage("a") == .pending)
        await board.reach(.ready, workload: "a", replica: 2)
        #expect(try await ready == nil)
        async let failed = board.wait(for: "b", .started)
        await board.fail("b", ServiceFailure("b", .crashed, "gone"))
        #expect(try await failed?.reason == "gone")
        let task = Task { try await board.wait(for: "a", .completed) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func logLinesOfSeveralSourcesAreMergedByTime() async {
        let merger = LogMerger(sources: ["a", "b"])
        func line(_ time: Int, _ source: String) -> LogLine {
            LogLine(
                service: source, replica: 1, container: source, isError: false, time: "2026-01-01T00:00:\(10 + time)Z",
                text: "\(time)")
        }
        await withTaskGroup(of: Void.self) { group in
            for (source, times) in [("a", [1, 4, 5]), ("b", [2, 3, 6])] {
                group.addTask {
                    for time in times { await merger.add(line(time, source), from: source) }
                    await merger.end(source)
                }
            }
            var seen: [String] = []
            while let next = await merger.next() { seen.append(next.text) }
            #expect(seen == ["1", "2", "3", "4", "5", "6"])
        }
    }
}
