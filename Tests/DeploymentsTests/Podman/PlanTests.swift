import Compose
import ExternalTools
import FoundationEssentials
import KubernetesObjects
import Rendering
import TestSupport
import Testing
import YAML

@testable import Runtimes

@Suite struct PlanTests {
    private var fixture: Fixture { Fixture(directory: "/d", namespace: "so-x", image: "image:1", id: "i") }

    private func translate(_ fixture: Fixture, secrets: [String: [String: [UInt8]]] = [:]) -> PodTranslator.Result {
        var translator = PodTranslator(model: fixture.model, secrets: secrets, storedSecrets: [], key: [1])
        return translator.translate()
    }

    @Test(arguments: [
        ("a$(X)b", "a1b"), ("$$(X)", "$(X)"), ("$(UNKNOWN)", "$(UNKNOWN)"), ("$$", "$"), ("$X $(", "$X $("), ("$", "$"),
        ("$$\u{301}", "$\u{301}"), ("$$(X)\u{301}", "$(X)\u{301}"), ("a$(X)\u{301}", "a1\u{301}"),
    ])
    func variablesExpandAsInKubernetes(_ text: String, _ expected: String) {
        #expect(expand(text) { $0 == "X" ? .plain("1") : nil }.literal == expected)
    }

    @Test func `a secret is masked whatever stands beside it`() {
        let mask = SecretMask(["tops3cret", "tops3cret-and-more"])
        #expect(mask("a=tops3cret\u{301} b=tops3cret-and-more;") == "a=***\u{301} b=***;")
    }

    @Test(arguments: [("500m", 0.5), ("2", 2), ("1.5", 1.5), ("64Mi", 67_108_864), ("1G", 1e9), ("1e3", 1000)])
    func `quantities keep their unit`(_ text: String, _ value: Double) {
        #expect(QuantityText.value(text) == value)
        #expect(QuantityText.value("5 GiB") == nil)
    }

    @Test func `a container's settings become podman's options`() throws {
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
        let options = try #require(pod.containers.first).options.arguments
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

    @Test func `what podman cannot do is named`() {
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
                        IngressRule(host: "a.example", paths: [IngressPath(path: "/", service: "gone", port: 80)])
                    ]))))
        let result = translate(fixture)
        let errors = result.findings.filter { $0.severity == .error }.map(\.what)
        #expect(errors.first?.contains("web: the kind of volume at /s cannot be mounted by podman") == true)
        let warnings = result.findings.filter { $0.severity == .warning }.map(\.what).joined(separator: "\n")
        #expect(warnings.contains("a.example") && warnings.contains("9.9.9.9"))
    }

    @Test func `a secret never stands in an option`() throws {
        var fixture = fixture
        let web = fixture.container("web", "") {
            $0.command = ["run", "--token=$(TOKEN)"]
            $0.envFrom = [EnvFromSource(secret: "web-env")]
            $0.env = [
                EnvVar(name: "URL", value: "https://$(TOKEN)@host"),
                EnvVar(name: "XTABLES_LIBDIR", value: "/evil:$(TOKEN)"),
            ]
        }
        fixture.add([web])
        let values = ["web-env": ["TOKEN": Array("hush".utf8), "PATH": Array("hush".utf8), "EMPTY": []]]
        let container = try #require(translate(fixture, secrets: values).pods.first?.containers.first)
        #expect(!container.options.arguments.contains { $0.contains("hush") })
        let stored = Dictionary(container.secretObjects.map { ($0.use, $0.value) }) { $1 }
        #expect(
            stored == [
                .variable("TOKEN"): Array("hush".utf8), .variable("PATH"): Array("hush".utf8),
                .variable("URL"): Array("https://hush@host".utf8),
                .variable("XTABLES_LIBDIR"): Array("/evil:hush".utf8),
            ])
        #expect(container.options.arguments.contains("EMPTY="), "podman's store keeps no empty value")
        #expect(container.entrypoint?.last?.pieces == [.text("--token="), .secret("TOKEN")])
    }

    @Test(arguments: [
        "docker-archive:/home/me/backup.tar", "docker-archive:backup.tar", "dir:keys", "dir:/etc", "oci:layout:v1",
        "oci:5000/layout", "containers-storage:other", "--tls-verify=false", "a b",
    ])
    func `an image that podman would read from a place of the host is refused`(image: String) throws {
        var fixture = fixture
        fixture.add([fixture.container("web", "run") { $0.image = image }])
        let findings = translate(fixture).findings
        #expect(findings.contains { $0.what.contains("as the name of an image") }, "\(findings)")
    }

    @Test(arguments: [
        "nginx", "docker:dind", "library/nginx:1.27", "localhost/so-test:local", "registry.example.com:5000/a/b:v1.0",
        "docker:5000/a", "ghcr.io/a/b@sha256:0123456789abcdef", "sha256:0123456789abcdef", "[::1]:5000/a:b",
    ])
    func `an image's name is given to podman as it is`(image: String) throws {
        var fixture = fixture
        fixture.add([fixture.container("web", "run") { $0.image = image }])
        let result = translate(fixture)
        #expect(result.findings.isEmpty, "\(result.findings)")
        #expect(result.pods.first?.containers.first?.image == image)
    }

    /// What a path would add where podman takes its option apart at commas.
    @Test func `a path with commas stays one path, in every kind of mount`() throws {
        let path = "/x,source=other-volume"
        var fixture = fixture
        let web = fixture.container("web", "run") { container in
            container.volumeMounts = ["claim", "disk", "memory", "bind"].map {
                VolumeMount(name: $0, mountPath: "\(path)/\($0)")
            }
        }
        fixture.add([web]) { spec in
            var (claim, disk, memory, bind) = (
                Volume(name: "claim"), Volume(name: "disk"), Volume(name: "memory"), Volume(name: "bind")
            )
            claim.persistentVolumeClaim = PersistentVolumeClaimVolumeSource(claimName: "data")
            disk.emptyDir = EmptyDirVolumeSource()
            memory.emptyDir = EmptyDirVolumeSource(medium: "Memory", sizeLimit: "1Mi")
            bind.hostPath = HostPathVolumeSource(path: "/host,readonly", type: nil)
            spec.volumes = [claim, disk, memory, bind]
        }
        fixture.rendered.objects.append(
            .persistentVolumeClaim(
                PersistentVolumeClaim(
                    metadata: ObjectMeta(name: "data"), spec: PersistentVolumeClaimSpec(storage: "1Gi", accessModes: [])
                )))
        let result = translate(fixture)
        let options = try #require(result.pods.first?.containers.first).options
        #expect(result.findings.isEmpty, "\(result.findings)")
        #expect(!options.contains { $0.name == "--mount" })
        #expect(
            options.filter { ["--volume", "--tmpfs"].contains($0.name) }.compactMap(\.value) == [
                "so-x-data:\(path)/claim", "\(path)/disk", "\(path)/memory:rw,mode=1777,size=1048576",
                "/host,readonly:\(path)/bind:rw",
            ])
    }

    @Test func `flags of a directory in memory reach podman`() throws {
        var fixture = fixture
        let web = fixture.container("web", "run") { container in
            container.volumeMounts = [
                VolumeMount(name: "a", mountPath: "/a"), VolumeMount(name: "b", mountPath: "/b"),
            ]
        }
        fixture.add([web]) { spec in
            spec.volumes = ["a", "b"].map { name in
                var volume = Volume(name: name)
                volume.emptyDir = EmptyDirVolumeSource(medium: "Memory")
                return volume
            }
        }
        let last = fixture.rendered.workloads.count - 1
        fixture.rendered.workloads[last].podman["web"].memoryFlags = ["/a": ["exec", "suid"], "/b": ["ro"]]
        let options = try #require(translate(fixture).pods.first?.containers.first).options
        #expect(
            options.filter { $0.name == "--tmpfs" }.compactMap(\.value) == [
                "/a:rw,exec,suid,mode=1777", "/b:ro,mode=1777",
            ])
    }

    @Test func `how SELinux labels a path, and that mounts below it stay away, reaches podman`() throws {
        var fixture = fixture
        let web = fixture.container("web", "run") { container in
            container.volumeMounts = [
                VolumeMount(name: "plain", mountPath: "/a"), VolumeMount(name: "colon", mountPath: "/b"),
            ]
        }
        fixture.add([web]) { spec in
            var (plain, colon) = (Volume(name: "plain"), Volume(name: "colon"))
            plain.hostPath = HostPathVolumeSource(path: "/host", type: nil)
            colon.hostPath = HostPathVolumeSource(path: "/host:x", type: nil)
            spec.volumes = [plain, colon]
        }
        let last = fixture.rendered.workloads.count - 1
        fixture.rendered.workloads[last].podman["web"].bindFlags = ["/a": ["z", "bind"], "/b": ["Z"]]
        let options = try #require(translate(fixture).pods.first?.containers.first).options
        #expect(options.contains { $0.name == "--volume" && $0.value == "/host:/a:rw,z,bind" }, "\(options)")
        #expect(
            options.contains { $0.name == "--mount" && $0.value?.contains("relabel=private") == true }, "\(options)")
    }

    @Test(arguments: [
        (WrittenVolume.image("i:1,destination=/etc"), "/y"), (.image("i:1"), "/y,readwrite=true"),
        (.secret, "/x,type=env,target=PATH"), (.secret, "/x\"y"), (.device("/dev/null:/dev/sda"), "/dev/x"),
        (.memory, "/x\ny"), (.memory, "/x:size=1"),
    ])
    func `what podman would read as more than one thing is an error, and no option`(
        _ source: WrittenVolume, _ path: String
    ) throws {
        var fixture = fixture
        fixture.add([fixture.container("web", "run") { $0.volumeMounts = [VolumeMount(name: "v", mountPath: path)] }]) {
            $0.volumes = [source.volume]
        }
        let result = translate(fixture, secrets: ["s": ["k": [1]]])
        #expect(result.findings.filter { $0.severity == .error }.map(\.what).contains { $0.hasPrefix("web: podman") })
        let options = try #require(result.pods.first?.containers.first).options
        #expect(!options.contains { ["--mount", "--tmpfs", "--secret", "--device", "--volume"].contains($0.name) })
    }

    @Test func `an element of a list is read back by podman as one element`() throws {
        var fixture = fixture
        let web = fixture.container("web", "run") { container in
            var security = SecurityContext()
            security.capabilities = Capabilities(add: ["CHOWN,SYS_ADMIN"], drop: nil)
            container.securityContext = security
        }
        fixture.add([web]) { spec in
            spec.hostAliases = [HostAlias(ip: "1.2.3.4", hostnames: ["a:5.6.7.8,b"])]
            var context = PodSecurityContext()
            context.sysctls = [Sysctl(name: "net.core.somaxconn", value: "1,kernel.shmmax=\"2\"")]
            spec.securityContext = context
        }
        let result = translate(fixture)
        let values = try #require(result.pods.first?.containers.first).options.compactMap(\.value)
        #expect(values.contains("\"CHOWN,SYS_ADMIN\""))
        #expect(values.contains("\"net.core.somaxconn=1,kernel.shmmax=\"\"2\"\"\""))
        #expect(!values.contains { $0.contains("5.6.7.8") }, "a name with a colon names an address")
        #expect(result.findings.contains { $0.severity == .error && $0.what.contains("a:5.6.7.8,b") })
    }

    @Test func `only the gateway's own place in an option takes its address`() throws {
        let option = try PodmanOption.host("h", address: nil)
        #expect(option.resolved(gateway: "10.0.0.1").value == "h:10.0.0.1")
        let variable = PodmanOption.whole("--env", "URL=h:host-gateway")
        #expect(variable.resolved(gateway: "10.0.0.1").value == "URL=h:host-gateway")
    }

    @Test func `a carriage return reaches a variable through podman's store, which alone keeps it`() throws {
        var fixture = fixture
        fixture.add([
            fixture.container("web", "") {
                $0.env = [EnvVar(name: "A", value: "a\r\nb"), EnvVar(name: "B", value: "b")]
            }
        ])
        let container = try #require(translate(fixture).pods.first?.containers.first)
        #expect(container.secretObjects.map(\.value) == [Array("a\r\nb".utf8)])
        #expect(container.secretObjects.map(\.use) == [.variable("A")])
        let options = container.options.arguments
        #expect(options.contains("B=b") && !options.contains { $0.hasPrefix("A=") })
    }

    @Test func `a pod that is allowed no traffic has no network, and nothing is left to report`() throws {
        var fixture = fixture
        fixture.add([fixture.container("web", "")])
        fixture.add([fixture.container("other", "")])
        let selector = LabelSelector(matchLabels: ["app.kubernetes.io/name": "web"])
        fixture.rendered.objects.append(
            .networkPolicy(NetworkPolicy(denyingAllOf: selector, metadata: ObjectMeta(name: "web"))))
        let result = translate(fixture)
        let lines = result.pods.map { ($0.options + $0.containers.flatMap(\.options)).arguments.joined(separator: " ") }
        #expect(lines.map { $0.contains("--network none") } == [true, false])
        #expect(lines.map { $0.contains("--network so-x") } == [false, true])
        #expect(result.findings.isEmpty)
    }

    @Test func `a service that has ended is settled only when podman's own record says that it stays up`() {
        let minute = Duration.seconds(60)
        var state = SettleState(check: nil, isKept: false, begin: .now - minute)
        #expect(state.isSettled)
        state.note(deaths: 1, last: .now - minute)
        #expect(!state.isSettled, "it is not known to run")
        state.note(startedAt: "2020-01-01T00:00:00.123456789+01:00")
        #expect(state.isSettled)
        state.note(startedAt: "2999-01-01T00:00:00.1Z")
        #expect(!state.isSettled, "it runs since a moment ago")
        state.note(startedAt: nil)
        #expect(!state.isSettled)
        state.note(startedAt: "2020-01-01T00:00:00Z")
        state.note(deaths: 2, last: .now)
        #expect(!state.isSettled, "it has just ended")
    }

    @Test func `files of one secret with different modes or owners are different secrets of podman`() throws {
        var fixture = fixture
        let web = fixture.container("web", "") {
            $0.volumeMounts = [
                VolumeMount(name: "a", mountPath: "/a", subPath: "k"),
                VolumeMount(name: "b", mountPath: "/b", subPath: "k"),
                VolumeMount(name: "a", mountPath: "/c", subPath: "k"),
            ]
        }
        fixture.add([web]) { spec in
            spec.volumes = [("a", 0o400), ("b", 0o444)].map { name, mode in
                var volume = Volume(name: name)
                volume.secret = SecretVolumeSource(secretName: "s", items: [KeyToPath(key: "k", path: "k", mode: mode)])
                return volume
            }
        }
        fixture.rendered.workloads[0].podman["web"].owners["/c"] = 7
        fixture.rendered.workloads[0].podman["web"].processes = 5
        let container = try #require(
            translate(fixture, secrets: ["s": ["k": Array("v".utf8)]]).pods.first?.containers.first)
        #expect(Set(container.secretObjects.map(\.name)).count == 3)
        #expect(
            container.secretObjects.map(\.use) == [
                .file(path: "/a", mode: 0o400, uid: nil, gid: nil), .file(path: "/b", mode: 0o444, uid: nil, gid: nil),
                .file(path: "/c", mode: 0o400, uid: 7, gid: nil),
            ])
        let line = container.options.arguments.joined(separator: " ")
        #expect(line.contains("--pids-limit 5"))
    }

    @Test(arguments: ["podman.web", "ulimits.web", "user.web", "start-periods", "hostname", "written-content"])
    func `an annotation is never read as a setting`(_ name: String) throws {
        var fixture = fixture
        fixture.add([fixture.container("web", "run")])
        let before = try #require(translate(fixture).pods.first)
        fixture.annotate("web", "stack-orchestrator.dev/\(name)", "group-add=6\ndevice=/dev/vda:/dev/vda")
        let after = try #require(translate(fixture).pods.first)
        let key: [UInt8] = [1]
        #expect(Fingerprint.of(before, images: [:], key: key) == Fingerprint.of(after, images: [:], key: key))
    }

    @Test func `the fingerprint changes with everything that matters`() throws {
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

    @Test func `secrets are made once and kept through everything but rotation`() throws {
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

    @Test func `a file of secrets that holds no mapping is not replaced`() throws {
        let directory = try makeTemporaryDirectory()
        defer { removeTree(directory) }
        let store = SecretStore(file: directory + "/s.yml")
        try write("[a, b]\n", to: store.file)
        #expect(throws: DeploymentError.self) { try store.ensure(["A": { "x" }]) }
        #expect(try read(store.file) == "[a, b]\n")
    }

    @Test func `waiting dependents learn of a failure`() async throws {
        let startup = StartupProgress(replicas: ["a": 2, "b": 1])
        async let ready = startup.wait(for: "a", .ready)
        await startup.reach(.ready, workload: "a", replica: 1)
        #expect(await startup.stage("a") == .pending)
        await startup.reach(.ready, workload: "a", replica: 2)
        #expect(try await ready == nil)
        async let failed = startup.wait(for: "b", .started)
        await startup.fail("b", ServiceFailure("b", .crashed, "gone"))
        #expect(try await failed?.reason == "gone")
        let task = Task { try await startup.wait(for: "a", .completed) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `the two outputs of a container are one in order of time`() async {
        func line(_ time: Int, isError: Bool) -> LogLine {
            LogLine(
                service: "a", replica: 1, container: "a", isError: isError, time: "2026-01-01T00:\(100_000 + time)Z",
                text: "\(time)")
        }
        let order = LineOrder(holds: true)
        var seen: [String] = []
        // Standard error is a pipe's size ahead.
        for block in 0..<20 {
            for offset in 0..<2000 {
                seen += await order.add(line(block * 4000 + 2 * offset, isError: true)).map(\.text)
            }
            for offset in 0..<2000 {
                seen += await order.add(line(block * 4000 + 2 * offset + 1, isError: false)).map(\.text)
            }
        }
        seen += await order.rest().map(\.text)
        #expect(seen == (0..<80_000).map(String.init))
        let live = LineOrder(holds: false)
        #expect(await live.add(line(1, isError: true)).count == 1)
    }

    @Test func `log lines of several sources are merged by time`() async {
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

enum WrittenVolume: Sendable {
    case image(String)
    case device(String)
    case memory
    case secret

    var volume: KubernetesObjects.Volume {
        var volume = KubernetesObjects.Volume(name: "v")
        switch self {
        case .image(let reference): volume.image = ImageVolumeSource(reference: reference)
        case .device(let path): volume.hostPath = HostPathVolumeSource(path: path, type: "CharDevice")
        case .memory: volume.emptyDir = EmptyDirVolumeSource(medium: "Memory", sizeLimit: nil)
        case .secret: volume.secret = SecretVolumeSource(secretName: "s", items: nil)
        }
        return volume
    }
}
