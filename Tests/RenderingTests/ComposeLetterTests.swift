import KubernetesObjects
import Rendering
import Testing
import YAML

/// What compose means to the letter, where Kubernetes would refuse it or do something else.
@Suite struct ComposeLetterTests {
    @Test func `a volume that is mounted twice is filled once`() throws {
        let rendered = try render(
            "services: {a: {image: i, volumes: [\"v:/one\", \"v:/two\"]}}\nvolumes: {v: }")
        let pod = try rendered.pod("a").spec
        #expect(pod.initContainers?.map(\.name) == ["a-fill-v"])
        #expect(pod.initContainers?.first?.command?.last == "/one")
        #expect(pod.containers[0].volumeMounts?.map(\.mountPath) == ["/one", "/two"])
    }

    // MARK: Modes

    private func modes(_ rendered: Rendered, _ service: String) throws -> [Int] {
        try (rendered.pod(service).spec.volumes ?? []).flatMap { volume in
            (volume.secret?.items ?? volume.configMap?.items ?? []).compactMap(\.mode)
        }
    }

    @Test(arguments: [("644", 0o204), ("01777", 0o777), ("\"0640\"", 0o640), ("1000", 0o750), ("0o600", 0o600)])
    func `the mode of a file is permissions only`(_ written: String, _ mode: Int) throws {
        for key in ["configs", "secrets"] {
            let rendered = try render(
                "services: {a: {image: i, \(key): [{source: s, mode: \(written)}]}}\n\(key): {s: {file: ./f}}",
                files: ["/p/f": "x"])
            #expect(rendered.errors == [])
            #expect(try modes(rendered, "a") == [mode])
            let isDecimal = !written.hasPrefix("0") && !written.hasPrefix("\"")
            #expect(
                rendered.diagnostics.contains { $0.hint?.hasPrefix("write 0\(written), or 0") == true } == isDecimal)
            #expect(
                rendered.warnings.contains { $0.contains("more than permissions") } == (mode != 0o640 && mode != 0o600))
        }
    }

    @Test func `a decimal mode of a tmpfs is warned of too`() throws {
        let rendered = try render(
            "services: {a: {image: i, volumes: [{type: tmpfs, target: /t, tmpfs: {mode: 700}}]}}", target: .podman)
        #expect(rendered.errors == [])
        #expect(rendered.warnings.contains { $0.contains("700 is decimal and means the mode 01274") })
    }

    @Test func `a script from a ConfigMap can be run, and other files keep their mode`() throws {
        let rendered = try render(
            "services: {a: {image: i, volumes: [\"./run.sh:/run.sh:ro\", \"./data:/data:ro\"]}}",
            files: ["/p/run.sh": "#!/bin/sh\n", "/p/data": "#x"])
        #expect(try modes(rendered, "a") == [0o755, 0o644])
    }

    // MARK: Owners of secrets

    @Test func `the owner of a secret file reads it by the pod's file group`() throws {
        let rendered = try render(
            """
            services:
              a: {image: i, user: "1000", secrets: [{source: s, uid: "1000", mode: 0400}]}
              b: {image: i, secrets: [{source: s, uid: "1000", gid: "7", mode: 0440}]}
              c: {image: i, secrets: [{source: s, uid: "1000"}]}
            secrets: {s: {file: ./f}}
            """, files: ["/p/f": "x"])
        #expect(try rendered.pod("a").spec.securityContext?.fsGroup == 1000)
        #expect(try rendered.pod("b").spec.securityContext?.fsGroup == 7)
        #expect(try rendered.pod("c").spec.securityContext?.fsGroup == nil)
        #expect(
            rendered.warnings.map { $0.suffix(50) }.filter { $0.contains("may read") }.map { $0.contains("everybody") }
                == [false, false, true])
    }

    // MARK: Life

    @Test func `who owns a shared namespace decides what the pod is`() throws {
        let rendered = try render(
            """
            services:
              torrent: {image: t, network_mode: "service:vpn", restart: unless-stopped}
              vpn: {image: v, restart: always}
            """)
        #expect(rendered.errors == [])
        #expect(rendered.deployment.workloads.map(\.name) == ["vpn"])
        #expect(try rendered.pod("vpn").spec.containers.map(\.name) == ["vpn", "torrent"])
    }

    @Test func `a one-shot in the pod of a server is an error that names both lines`() throws {
        let rendered = try render(
            """
            services:
              migrate:
                image: m
                restart: "no"
                network_mode: service:server
              server:
                image: s
                restart: always
            """)
        #expect(rendered.deployment.workloads.map(\.kind) == [.deployment])
        let error = try #require(rendered.diagnostics.first { $0.severity == .error })
        #expect(error.mark?.line == 4)
        #expect(error.what.contains("runs once") && error.what.contains("compose.yml:8:5"))
    }

    @Test func `a spec's replicas are those of every service, or of the named ones before their files'`() throws {
        let compose = "services: {a: {image: i}, b: {image: i, scale: 4}, c: {image: i, deploy: {replicas: 5}}}"
        for (spec, wanted) in [("2", [2, 2, 2]), ("{a: 2, c: 1}", [2, 4, 1]), ("{}", [1, 4, 5])] {
            let rendered = try render(compose, spec: "replicas: \(spec)")
            let counts = rendered.deployment.objects.compactMap { object -> Int? in
                guard case .deployment(let deployment) = object else { return nil }
                return deployment.spec.replicas
            }
            #expect(counts == wanted)
        }
    }

    @Test func `no replicas are no job either`() throws {
        let rendered = try render(
            "services: {a: {image: i, restart: \"no\", deploy: {replicas: 0}}}", spec: "replicas: 3")
        guard case .deployment(let deployment)? = rendered.deployment.objects.last else {
            Issue.record("\(rendered.deployment.objects.map(\.kind))")
            return
        }
        #expect(deployment.spec.replicas == 0)
    }

    @Test(arguments: [
        ("\"no\"", "Never", 0), ("on-failure:3", "OnFailure", 3), ("on-failure:0", "OnFailure", 2_147_483_647),
    ])
    func `what is tried again is tried in its own pod`(_ policy: String, _ restart: String, _ limit: Int) throws {
        let rendered = try render("services: {a: {image: i, restart: \(policy)}}")
        guard case .job(let job)? = rendered.deployment.objects.last else {
            Issue.record("\(rendered.deployment.objects.map(\.kind))")
            return
        }
        #expect(job.spec.template.spec.restartPolicy == restart)
        #expect(job.spec.backoffLimit == limit)
    }

    @Test func `flags of a tmpfs reach podman, and those that a cluster has none of are named`() throws {
        let text = "services: {a: {image: i, tmpfs: [\"/run:exec,size=1m\", \"/x:ro,noexec,uid=5\", /y]}}"
        let podman = try render(text, target: .podman)
        #expect(try podman.settings("a").memoryFlags == ["/run": ["exec"], "/x": ["ro", "noexec"]])
        #expect(podman.warnings == ["service a: `tmpfs`: /x: uid=5 has no equivalent and is left out"])
        let cluster = try render(text, target: .kubernetes)
        #expect(cluster.warnings == ["service a: `tmpfs`: /x: noexec,uid=5 has no equivalent and is left out"])
        let mounts = try cluster.pod("a").spec.containers[0].volumeMounts
        #expect(mounts?.map { $0.readOnly == true } == [false, true, false])
    }

    @Test(arguments: ["[.]", "\"\"", "[\"\", .]"])
    func `no search domains at all is a wish that podman grants and a cluster does not`(_ search: String) throws {
        let text = "services: {a: {image: i, dns_search: \(search)}}"
        let podman = try render(text, target: .podman)
        #expect(try podman.pod("a").spec.dnsConfig?.searches == ["."])
        #expect(podman.warnings == [])
        let cluster = try render(text, target: .kubernetes)
        #expect(try cluster.pod("a").spec.dnsConfig?.searches == nil)
        #expect(
            cluster.warnings
                == ["service a: `dns_search`: a pod keeps the search domains of the cluster and its nodes"])
        let both = try render("services: {a: {image: i, dns_search: [., a.example]}}", target: .podman)
        #expect(try both.pod("a").spec.dnsConfig?.searches == ["a.example"])
    }

    @Test func `podman takes labels that no annotation can have as its name`() throws {
        let long = "traefik.http.services.appwrite_realtime.loadbalancer.server.port.of.them"
        let text = "services: {a: {image: i, labels: {\(long): 1, \"traefik.x[0].y\": 2, \"a=b\": 3}}}"
        let podman = try render(text, target: .podman)
        #expect(try podman.pod("a").metadata.annotations?.values == [long: "1", "traefik.x[0].y": "2"])
        #expect(podman.warnings.count == 1)
        let cluster = try render(text, target: .kubernetes)
        #expect(try cluster.pod("a").metadata.annotations?.values ?? [:] == [:])
        #expect(cluster.warnings.count == 3)
    }

    @Test func `what is wrong with a value that variables were to give names them`() throws {
        let rendered = try render(
            """
            services:
              a:
                image: i
                volumes: ["./d${SUFFIX}:/d"]
            """, target: .kubernetes)
        let problem = try #require(rendered.diagnostics.first { $0.severity == .error })
        #expect(problem.hint?.hasPrefix("set SUFFIX, which is taken as empty here; else ") == true, "\(problem)")
    }

    @Test func `a build whose image is an unset variable has the project's name`() throws {
        let rendered = try render("services: {a: {build: ., image: \"${UNSET}\"}, b: {image: \"\"}}")
        #expect(try rendered.pod("a").spec.containers[0].image == "p-a")
        #expect(rendered.errors == ["the `image` of the service b is empty"])
    }

    @Test(arguments: [RenderOptions.Target.podman, .kubernetes])
    func `a health check never kills`(_ target: RenderOptions.Target) throws {
        let rendered = try render(
            """
            services:
              a:
                image: i
                healthcheck: {test: "true", interval: 10s, retries: 4, start_period: 1m, start_interval: 2s}
            """, target: target)
        let pod = try rendered.pod("a")
        #expect(pod.spec.containers[0].readinessProbe?.failureThreshold == 4)
        #expect(pod.spec.containers[0].startupProbe == nil)
        #expect(pod.spec.containers[0].livenessProbe == nil)
        #expect(rendered.deployment.workloads.first?.startPeriods == ["a": 60])
        #expect(rendered.warnings.contains { $0.contains("healthcheck.start_interval") } == (target == .kubernetes))
    }

    @Test func `an update keeps what a DaemonSet can`() throws {
        let rendered = try render(
            """
            services:
              a: {image: i, deploy: {mode: global, update_config: {parallelism: 2, order: start-first}}}
              b: {image: i, deploy: {mode: global, update_config: {parallelism: 0}}}
            """)
        let strategies = rendered.deployment.objects.compactMap { object -> RollingUpdate? in
            guard case .daemonSet(let set) = object else { return nil }
            return set.spec.updateStrategy?.rollingUpdate
        }
        #expect(
            strategies == [
                RollingUpdate(maxUnavailable: 0, maxSurge: 2), RollingUpdate(maxUnavailable: "100%", maxSurge: 0),
            ])
    }

    // MARK: What the API refuses

    @Test func `names of extra hosts are DNS names`() throws {
        let text = "services: {a: {image: i, extra_hosts: [\"Big.Host=1.2.3.4\", \"my_host=1.2.3.4\"]}}"
        let rendered = try render(text, target: .kubernetes)
        #expect(try rendered.pod("a").spec.hostAliases?.first?.hostnames == ["big.host"])
        #expect(rendered.warnings.contains { $0.contains("invalid host name `my_host`") })
        #expect(try render(text, target: .podman).pod("a").spec.hostAliases?[0].hostnames == ["Big.Host", "my_host"])
    }

    @Test func `what is set aside is no more than the limit, and zero is not a limit`() throws {
        let rendered = try render(
            """
            services:
              a: {image: i, cpu_shares: 2048, cpus: 0.5, mem_reservation: 1g, mem_limit: 512m}
              b: {image: i, mem_reservation: 1g, mem_limit: 0, cpus: 0, cpu_shares: 0}
            """)
        let (a, b) = (
            try rendered.pod("a").spec.containers[0].resources, try rendered.pod("b").spec.containers[0].resources
        )
        #expect(a?.requests?.values == ["cpu": "500m", "memory": "512Mi"])
        #expect(a?.limits?.values == ["cpu": "500m", "memory": "512Mi"])
        #expect(b?.limits == nil)
        #expect(b?.requests?.values == ["memory": "1Gi"])
        #expect(rendered.warnings.filter { $0.contains("more than the limit") }.count == 2)
    }

    @Test func `a limit of storage is a quantity`() throws {
        let rendered = try render(
            "services: {a: {image: i, storage_opt: {size: 10g, foo: bar}}, b: {image: i, storage_opt: {size: x}}}")
        #expect(try rendered.pod("a").spec.containers[0].resources?.limits?.values == ["ephemeral-storage": "10Gi"])
        #expect(try rendered.pod("b").spec.containers[0].resources == nil)
        #expect(rendered.warnings.contains { $0.contains("`storage_opt`: foo has no equivalent") })
    }

    @Test func `only a privileged container passes its mounts on`() throws {
        func mount(_ more: String, _ target: RenderOptions.Target) throws -> String? {
            try render(
                "services: {a: {image: i, \(more)volumes: [{type: bind, source: /mnt/x, target: /x, bind: {propagation: rshared}}]}}",
                target: target
            ).pod("a").spec.containers[0].volumeMounts?.first?.mountPropagation
        }
        #expect(try mount("", .kubernetes) == "HostToContainer")
        #expect(try mount("privileged: true, ", .kubernetes) == "Bidirectional")
        #expect(try mount("", .podman) == "Bidirectional")
    }

    @Test func `a long delay between updates leaves time for progress`() throws {
        let rendered = try render("services: {a: {image: i, deploy: {update_config: {delay: 15m}}}}")
        guard case .deployment(let deployment)? = rendered.deployment.objects.last else { return }
        #expect(deployment.spec.minReadySeconds == 900)
        #expect(deployment.spec.progressDeadlineSeconds == 1500)
    }

    @Test func `on the node's processes nothing is shared besides`() throws {
        let pod = try render("services: {a: {image: i, init: true, pid: host}}").pod("a").spec
        #expect(pod.hostPID == true)
        #expect(pod.shareProcessNamespace == nil)
    }

    @Test(arguments: [
        ("volumes: [{type: volume, source: v, target: /v, volume: {subpath: /foo}}]", "subpath: foo"),
        ("volumes: [{type: volume, source: v, target: /v, volume: {subpath: ../foo}}]", "subpath: foo"),
        ("runtime: My_RT", "kubectl get runtimeclass"), ("user: \"2147483648\"", "podman"),
        ("group_add: [\"4294967294\"]", "podman"),
    ])
    func `what cannot be had is an error with its hint`(_ key: String, _ hint: String) throws {
        let rendered = try render("services: {a: {image: i, \(key)}}\nvolumes: {v: }", target: .kubernetes)
        let error = try #require(rendered.diagnostics.first { $0.severity == .error })
        #expect(rendered.errors.count == 1)
        #expect(error.hint?.contains(hint) == true)
    }

    @Test func `a protocol that a Service cannot name is left out`() throws {
        let rendered = try render(
            "services: {a: {image: i, ports: [{target: 80, app_protocol: \"not a name\"}, {target: 81, app_protocol: http}]}}"
        )
        #expect(rendered.warnings.contains { $0.contains("ports.[].app_protocol") })
        #expect(rendered.errors == [])
    }

    @Test func `a variable may have any name that can be printed`() throws {
        let text = "services: {a: {image: i, environment: {1A: x, \"a b\": y, \"naïve\": z}}}"
        let rendered = try render(text, target: .kubernetes)
        #expect(try rendered.pod("a").spec.containers[0].env?.map(\.name) == ["1A", "a b"])
        #expect(rendered.errors.count == 1)
        #expect(try render(text, target: .podman).errors == [])
    }

    // MARK: Services that were written to share a pod

    @Test(arguments: [RenderOptions.Target.podman, .kind, .kubernetes])
    func `localhost of a sibling is named with the line that gives both one pod`(_ target: RenderOptions.Target) throws
    {
        let rendered = try render(
            """
            services:
              web:
                image: w
                ports: ["3000"]
                environment: {DB: "postgres://u@localhost:5432/x", SELF: "http://127.0.0.1:3000", OTHER: "my-localhost:5432"}
                command: ["--rpc", "[::1]:8545", "localhost:99"]
              db: {image: d, expose: ["5432"]}
              node: {image: n, ports: ["8545:8545"]}
              host: {image: h, network_mode: host, environment: {DB: "localhost:5432"}}
            """, target: target)
        #expect(rendered.errors == [])
        let found = rendered.diagnostics.filter { $0.what.contains("calls localhost") }
        #expect(found.map(\.mark?.line) == [5, 6])
        #expect(found.allSatisfy { $0.hint?.contains("colocate: true") == true })
    }

    @Test func `a volume of one node that several pods want is named on a cluster`() throws {
        let text = "services: {a: {image: i, volumes: [\"v:/a\"]}, b: {image: i, volumes: [\"v:/b\"]}}\nvolumes: {v: }"
        func named(_ target: RenderOptions.Target) throws -> Int {
            try render(text, target: target).warnings.filter { $0.contains("the volume v is mounted by a, b") }.count
        }
        #expect(try named(.kubernetes) == 1)
        #expect(try named(.kind) == 0)
        #expect(try named(.podman) == 0)
    }
}
