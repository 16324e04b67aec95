import OrderedCollections
import Testing
import YAML

@testable import Compose

/// The cases of compose-go's loader tests about what stands under a service.
@Suite struct ServiceTests {
    @Test(arguments: [
        ("none", "none"), ("no", "none"), ("on-failure", "on-failure"), ("any", "any"), ("always", "any"),
        ("unless-stopped", "any"),
    ])
    func `deploy's restart condition takes the words of restart too`(_ written: String, _ meant: String) throws {
        let service = try loadService("deploy: {restart_policy: {condition: \"\(written)\"}}").service()
        #expect(service.deploy?.restartPolicy?.condition == meant)
    }

    @Test func `a container of this project is its service`() throws {
        let text = """
            services:
              vpn: {image: vpn, container_name: gluetun}
              web: {image: web, network_mode: "container:gluetun", pid: "container:gluetun", volumes_from: ["container:gluetun:ro"]}
              other: {image: other, network_mode: "container:elsewhere"}
            """
        let project = try load(text).sound()
        let web = try #require(project.services["web"])
        #expect(web.networkMode == "service:vpn")
        #expect(web.pid == "service:vpn")
        #expect(web.volumesFrom.map(\.name) == ["vpn"])
        #expect(web.volumesFrom.map(\.isContainer) == [false])
        #expect(web.dependsOn["vpn"] != nil)
        #expect(project.services["other"]?.networkMode == "container:elsewhere")
    }

    @Test func `a file of the first format is told where services stand`() {
        let errors = load("web: {image: web, links: [db]}\ndb: {image: db}").errors
        #expect(errors.count == 2)
        #expect(errors.allSatisfy { $0.contains("a service belongs under `services:`") })
    }

    @Test(
        arguments: [
            ("80", [80], [nil], "tcp", nil as String?), ("8080:80", [80], [8080...8080], "tcp", nil),
            ("80-82", [80, 81, 82], [nil, nil, nil], "tcp", nil),
            ("9090-9091:8080-8081", [8080, 8081], [9090...9090, 9091...9091], "tcp", nil),
            ("3000-3005:80", [80], [3000...3005], "tcp", nil), ("53:53/udp", [53], [53...53], "udp", nil),
            ("90-91:8090-8091/UDP", [8090, 8091], [90...90, 91...91], "udp", nil),
            ("127.0.0.1:8001:8001", [8001], [8001...8001], "tcp", "127.0.0.1"),
            ("127.0.0.1::80", [80], [nil], "tcp", "127.0.0.1"), ("[::1]:80:80/sctp", [80], [80...80], "sctp", "::1"),
            ("::1:80:80", [80], [80...80], "tcp", "::1"), ("0:80", [80], [nil], "tcp", nil),
            (":80", [80], [nil], "tcp", nil),
        ] as [(String, [Int], [ClosedRange<Int>?], String, String?)])
    func `a short port is read`(
        text: String, targets: [Int], published: [ClosedRange<Int>?], transport: String, hostIP: String?
    ) throws {
        let ports = try loadService("ports: [\"\(text)\"]").service().ports
        #expect(ports.map(\.target) == targets)
        #expect(ports.map(\.published) == published)
        #expect(ports.allSatisfy { $0.transport.rawValue == transport && $0.hostIP == hostIP })
    }

    @Test(arguments: [
        "127.0.1:80:80", "80:", "a:80", "80/xyz", "70000", "0", "81-80", "80-90:80-81", "[::1:80:80", "1.2.3.256:80:80",
        "", "-80", "8 0",
    ])
    func `a wrong port is refused with its place`(text: String) {
        let errors = loadService("ports: [\"\(text)\"]").errors
        #expect(errors.count == 1)
        #expect(errors.first?.hasPrefix("/p/compose.yaml:4:13: error: `services.web.ports`: ") == true)
    }

    @Test func `a long port keeps all its keys`() throws {
        let port = try #require(
            try loadService(
                """
                ports: [{target: "80", published: 8080-8090, host_ip: "::1", protocol: UDP, mode: host, name: n, app_protocol: http, x-a: 1}]
                """
            ).service().ports.first)
        #expect(port.target == 80)
        #expect(port.published == 8080...8090)
        #expect((port.hostIP, port.transport, port.mode) == ("::1", .udp, "host"))
        #expect((port.name, port.appProtocol) == ("n", "http"))
        #expect(loadService("ports: [{published: 80}]").errors.count == 1)
        #expect(loadService("ports: [{target: 80, host_ip: x}]").errors.count == 1)
        #expect(loadService("ports: [80, 81]").errors == [])
    }

    @Test func `a port range as large as the memory is refused`() {
        let lines = (0..<10).map { "  - \"127.0.0.\($0):1-65535:1-65535\"" }.joined(separator: "\n")
        #expect(loadService("ports:\n\(lines)").errors.contains { $0.contains("publishes more than 20000 ports") })
    }

    @Test(
        arguments: [
            ("/data", VolumeMount.Kind.volume, nil as String?, "/data", false),
            ("vol:/data", .volume, "vol", "/data", false),
            ("vol:/data:ro", .volume, "vol", "/data", true), ("./src:/src/", .bind, "/p/src", "/src", false),
            ("../x:/x:rw", .bind, "/x", "/x", false), ("/abs/:/x:z", .bind, "/abs", "/x", false),
            (".:/x:ro,Z", .bind, "/p", "/x", true),
            ("v:/data", .volume, "v", "/data", false), ("v:/data:ro", .volume, "v", "/data", true),
            ("0:/d", .volume, "0", "/d", false),
        ] as [(String, VolumeMount.Kind, String?, String, Bool)])
    func `a short volume is read`(
        text: String, kind: VolumeMount.Kind, source: String?, target: String, isReadOnly: Bool
    ) throws {
        let loaded = load("services: {web: {image: a, volumes: ['\(text)']}}\nvolumes: {vol: , v: , '0': }")
        let mount = try #require(try loaded.service().volumes.first)
        #expect((mount.kind, mount.source, mount.target, mount.isReadOnly) == (kind, source, target, isReadOnly))
    }

    @Test(arguments: ["", ":/x", "a:", "a:/b:ro:x:y", "C:\\\\x:/y", "./a:C:\\\\y", "c:/a:/b", "a:b", "~x"])
    func `a wrong volume is refused`(text: String) {
        #expect(load("services: {web: {image: a, volumes: [\"\(text)\"]}}\nvolumes: {a: }").errors.count == 1)
    }

    @Test func `a long volume keeps all its keys and unknown options are said`() throws {
        let web = try loadService(
            """
            volumes:
              - {type: bind, source: ./a, target: /a, read_only: "true", bind: {propagation: rslave, create_host_path: false, selinux: z}}
              - {type: volume, target: /b, volume: {nocopy: true, subpath: s, labels: [a=b]}}
              - {type: tmpfs, target: /c, tmpfs: {size: 1kb, mode: 0o1777}}
              - {type: image, source: alpine, target: /d, image: {subpath: x}}
            tmpfs: ["/run:size=64m,mode=1777,noexec", /tmp]
            """
        ).service()
        #expect(web.volumes[0].bind?.createHostPath == false)
        #expect(web.volumes[0].isReadOnly)
        #expect(web.volumes[1].volume?.labels == ["a": "b"])
        #expect(web.volumes[2].tmpfs?.size == 1024)
        #expect(web.volumes[2].tmpfs?.mode == 0o1777)
        #expect(web.volumes[3].imageSubpath == "x")
        #expect(web.tmpfs[0].size == 64 << 20)
        #expect(web.tmpfs[0].options == ["noexec"])
        #expect(loadService("volumes: ['./a:/a:cached']").warnings.contains { $0.contains("`cached` is not known") })
    }

    @Test func `the home of an operator is taken, and said`() throws {
        func loaded(_ home: String?) -> Loaded {
            load("services: {web: {image: a, volumes: ['~/a:/a']}}") { $0.homeDirectory = home }
        }
        #expect(try loaded("/home/op").service().volumes[0].source == "/home/op/a")
        #expect(loaded("/home/op").warnings.contains { $0.contains("the home of whoever deploys, /home/op") })
        #expect(loaded(nil).errors.count == 1)
    }

    @Test(arguments: [
        ("echo a  b", ["echo", "a", "b"]), (#"sh -c 'a; b && "c"'"#, ["sh", "-c", #"a; b && "c""#]),
        (#"a "b c" d\ e"#, ["a", "b c", "d e"]),
        (#"/bin/ash -c "echo Oh no...""#, ["/bin/ash", "-c", "echo Oh no..."]),
        (#"a "" ''"#, ["a", "", ""]), ("a$(b c)d", ["a$(b c)d"]), ("", []), ("a 'b'c", ["a", "bc"]),
        (#"a "x\ty""#, ["a", "x\ty"]),
        ("a `b c`", ["a", "`b c`"]),
    ])
    func `a command's string is split into words`(text: String, words: [String]) throws {
        let quoted = text.replacing("$", with: "$$").replacing("'", with: "''")
        let command = try loadService("command: '\(quoted)'").service().command
        #expect(command?.map(\.masked) == words)
    }

    @Test func `what only a shell could read is left out with a warning, as docker compose leaves it out`() throws {
        let loaded = loadService("command: npm run build && npm start")
        #expect(try loaded.service().command?.map(\.masked) == ["npm", "run", "build"])
        #expect(loaded.warnings.contains { $0.contains("no shell to read `&& npm start`") })
        #expect(loadService("command: echo 'a").errors.count == 1)
        #expect(loadService("command: echo (a)").errors.count == 1)
        #expect(loadService("command: [sleep, 10]").errors.count == 1)
    }

    @Test func `command and entrypoint tell absent from empty`() throws {
        #expect(try loadService("command: []").service().command == [])
        #expect(try loadService("command:").service().command == nil)
        #expect(try loadService("entrypoint: \"\"").service().entrypoint == [])
        #expect(try loadService("tty: true").service().command == nil)
    }

    @Test func `environment in both forms, with bare names`() throws {
        let forms = [
            "environment: {FOO: \"1\", BAR: 2, GA: 2.5, BU: \"\", ZO: , MEU: , T: True, V: 1.10}",
            "environment: [FOO=1, BAR=2, GA=2.5, BU=, ZO, MEU, T=true, V=1.10]",
        ]
        for form in forms {
            let web = try loadService(form, variables: ["MEU": "Shadoks"]).service()
            #expect(
                web.plainEnvironment == [
                    "FOO": "1", "BAR": "2", "GA": "2.5", "BU": "", "MEU": "Shadoks", "T": "true", "V": "1.10",
                ])
            #expect(web.environment["MEU"]?.layer == .spec)
        }
        #expect(loadService("environment: {FOO: [1]}").errors.count == 1)
        #expect(loadService("environment: FOO=1").errors.count == 1)
    }

    @Test func `env files: later ones win, environment wins over all, and what lost is kept`() throws {
        let files = ["/p/a.env": "A=1\nB=1\nC=${OUT}${D}\nBARE\nR=$X", "/p/raw.env": "B=\"2\" $X", "/p/d.env": "D=d"]
        let lines = """
            env_file: [d.env, a.env, {path: raw.env, format: raw}, {path: no.env, required: false}]
            environment: {A: over}
            """
        let web = try loadService(lines, files: files, variables: ["OUT": "o", "BARE": "b", "X": "x"]).service()
        #expect(web.plainEnvironment == ["A": "over", "B": "\"2\" $X", "C": "od", "D": "d", "BARE": "b", "R": "x"])
        #expect(web.environment["A"]?.shadowed.map(\.text) == ["1"])
        #expect(web.environment["B"]?.mark == Mark(file: "/p/raw.env", line: 1, column: 1))
        #expect(web.environment["C"]?.uses.map(\.name) == ["OUT", "D"])
        #expect(
            loadService("env_file: no.env").errors == [
                "/p/compose.yaml:4:15: error: /p/no.env does not exist\nhint: create it, or correct the path"
            ])
        #expect(loadService("env_file: [{path: a.env, format: json}]", files: files).errors.count == 1)
    }

    @Test func `label files lie below labels`() throws {
        let files = ["/p/l": "A=1\nB=${A}2\n"]
        let web = try loadService("label_file: ./l\nlabels: [A=own, D]", files: files).service()
        #expect(web.labels == ["A": "own", "B": "12", "D": ""])
        #expect(loadService("label_file: no").errors.count == 1)
    }

    @Test func `numbers, sizes and durations`() throws {
        let web = try loadService(
            """
            mem_limit: 1.5g
            mem_reservation: 5Gi
            memswap_limit: -1
            shm_size: 64 MB
            cpus: ".5"
            cpu_quota: 50000
            cpu_period: 20ms
            stop_grace_period: 1m30.5s
            scale: "3"
            ulimits: {nproc: 5, nofile: {soft: 1, hard: -1}}
            healthcheck: {test: curl x, interval: 1w2d3h4m5s6ms, timeout: "0", retries: 5, start_interval: 2s}
            blkio_config: {weight: 300, device_read_bps: [{path: /dev/sda, rate: 12mb}]}
            """
        ).service()
        #expect(web.memLimit == 3 << 29)
        #expect(web.memReservation == 5 << 30)
        #expect(web.memswapLimit == -1)
        #expect(web.shmSize == 64 << 20)
        #expect(web.cpus == 0.5)
        #expect(web.cpuPeriod == 20_000)
        #expect(web.stopGracePeriod == .milliseconds(90_500))
        #expect(web.scale == 3)
        #expect(web.ulimits == ["nproc": Ulimit(soft: 5, hard: 5), "nofile": Ulimit(soft: 1, hard: -1)])
        #expect(web.healthcheck?.test == .shell("curl x"))
        #expect(web.healthcheck?.interval == .milliseconds(788_645_006))
        #expect(web.healthcheck?.timeout == .zero)
        #expect(web.blkioConfig?.deviceReadBps == [BlkioConfig.Device(path: "/dev/sda", value: 12 << 20)])
    }

    @Test(arguments: [
        "mem_limit: x", "mem_limit: -5m", "cpus: a", "cpus: -1", "stop_grace_period: 10", "stop_grace_period: 1x",
        "scale: -1", "scale: a",
        "privileged: maybe", "image: 5", "hostname: [a]", "ulimits: {a: {soft: 1}}", "restart: sometimes",
        "restart: on-failure:x",
        "pull_policy: alwys", "healthcheck: {test: [curl]}", "depends_on: {a: {}}", "depends_on: [nope]",
        "networks: [nope]", "secrets: [nope]",
        "configs: [nope]", "volumes: ['nope:/x']", "network_mode: host\nnetworks: [default]", "cgroup: x",
        "oom_score_adj: 2000", "deploy: {mode: x}",
        "cpus: 1\ndeploy: {resources: {limits: {cpus: 2}}}", "scale: 2\ndeploy: {replicas: 3}", "container_name: a b",
        "container_name: web\nscale: 2",
        "build: {dockerfile: a, dockerfile_inline: b}", "extra_hosts: [a]", "extra_hosts: [a=b]",
        "gpus: [{count: 1, device_ids: [a]}]", "tmpfs: [/a, \"/a/\"]\nvolumes: [/a]",
        "deploy: {resources: {reservations: {devices: [{count: 1}]}}}", "deploy: {resources: {impossible: 1}}",
        "expose: [x]", "links: [a:b:c]",
        "develop: {watch: [{path: a}]}", "develop: {watch: [{path: a, action: sync}]}", "services: 1",
        "post_start: [{user: a}]", "env_file: [{required: true}]",
        "platform: a\nbuild: {platforms: [b]}", "mem_swappiness: 101", "provider: {}", "devices: [\"a:b:c:d\"]",
        "devices: [\"a:b:q\"]", "volumes_from: [\"a:b:c\"]",
    ])
    func `a wrong value is refused with its file and line`(lines: String) {
        let errors = loadService(lines).errors
        #expect(!errors.isEmpty)
        #expect(errors.allSatisfy { $0.hasPrefix("/p/compose.yaml:") })
    }

    @Test func `every unknown key is named with the nearest one, all at once`() {
        let loaded = load(
            """
            services:
              web:
                image: a
                enviroment: {A: 1}
                healthcheck: {tst: x}
                x-free: 1
                volumes: [{type: bind, source: a, target: /a, foo: 1}]
            netwroks: {}
            x-free: 1
            """)
        let prefix = "/p/compose.yaml:"
        #expect(
            Set(loaded.errors.map { String($0.dropFirst(prefix.count)) }) == [
                "4:5: error: unknown key `enviroment` in `services.web`\nhint: did you mean `environment`?",
                "5:19: error: unknown key `tst` in `services.web.healthcheck`\nhint: did you mean `test`?",
                "7:51: error: unknown key `foo` in `services.web.volumes`\nhint: remove it, or begin its name with x-",
                "8:1: error: unknown key `netwroks` at the top level\nhint: did you mean `networks`?",
            ])
    }

    @Test func `the places of keys are kept, nested ones dotted`() throws {
        let web = try loadService("deploy:\n  resources:\n    limits: {cpus: 1}\nbuild: {context: .}").service()
        #expect(web.keys["deploy.resources.limits.cpus"] == Mark(file: "/p/compose.yaml", line: 6, column: 18))
        #expect(web.keys["build.context"]?.line == 7)
        #expect(web.keys["image"] == Mark(file: "/p/compose.yaml", line: 3, column: 5))
        #expect(web.keys["tty"] == nil)
        #expect(web.cpus == 1)
    }

    @Test func `what compose takes for granted is filled in`() throws {
        let project = try load(
            """
            name: p
            services:
              web: {image: a, links: [db], volumes_from: ["data:ro"], network_mode: "service:net", build: {}}
              db: {image: a, networks: {}}
              data: {image: a}
              net: {image: a, networks: [n]}
            networks: {n: , e: {external: true}, x: {external: true, name: real}}
            volumes: {v: {name: "${N:-named}"}}
            """
        ).sound()
        let web = try #require(project.services["web"])
        #expect(web.dependsOn.keys.sorted() == ["data", "db", "net"])
        #expect(web.dependsOn.values.allSatisfy { $0.isImplied })
        #expect(web.networks.isEmpty)
        #expect(web.build?.context == "/p")
        #expect(project.services["db"]?.networks.keys == ["default"])
        #expect(project.networks.mapValues(\.name) == ["n": "p_n", "e": "e", "x": "real", "default": "p_default"])
        #expect(project.volumes["v"]?.name == "named")
    }

    @Test func `every key of the schema loads and has a place`() throws {
        let keys = try #require(try loadYAMLDocument(Array(Self.fullService.utf8), file: "f").mapping).entries.map(
            \.key)
        let elsewhere = [
            "configs", "depends_on", "extends", "image", "links", "models", "networks", "secrets", "x-any",
        ]
        #expect(Set(keys).union(elsewhere) == Set(Self.schemaKeys).union(["x-any"]))
        let loaded = loadService(Self.fullService, files: ["/p/e": "", "/p/l": ""])
        let service = try loaded.service()
        #expect(keys.filter { service.keys[$0] == nil } == ["x-any"])
        #expect(loaded.warnings == [])
    }

    /// The keys of a service in https://github.com/compose-spec/compose-spec/blob/main/schema/compose-spec.json, as compose-go
    /// e70e961 has it.
    static let schemaKeys = """
        annotations attach blkio_config build cap_add cap_drop cgroup cgroup_parent command configs container_name
        cpu_count cpu_percent cpu_period cpu_quota cpu_rt_period cpu_rt_runtime cpu_shares cpus cpuset
        credential_spec depends_on deploy develop device_cgroup_rules devices dns dns_opt dns_search domainname
        entrypoint env_file environment expose extends external_links extra_hosts gpus group_add healthcheck
        hostname image init ipc isolation label_file labels links logging mac_address mem_limit mem_reservation
        mem_swappiness memswap_limit models network_mode networks oom_kill_disable oom_score_adj pid pids_limit
        platform ports post_start pre_start pre_stop privileged profiles provider pull_policy pull_refresh_after
        read_only restart runtime scale secrets security_opt shm_size stdin_open stop_grace_period stop_signal
        storage_opt sysctls tmpfs tty ulimits use_api_socket user userns_mode uts volumes volumes_from working_dir
        """.split { $0 == " " || $0 == "\n" }.map(String.init)

    /// Every key of compose-spec.json's service, save image (the helper has it), extends, depends_on, networks and those that need
    /// a definition elsewhere.
    static let fullService = """
        annotations: [a=b]
        attach: "true"
        blkio_config: {weight: 1}
        build: {context: ., dockerfile: d, entitlements: [a], args: [A], ssh: [default], labels: [a], cache_from: [a], cache_to: [b], no_cache: true, no_cache_filter: a, additional_contexts: [a=./b], network: host, provenance: true, sbom: "x", pull: false, target: t, shm_size: 1, extra_hosts: [a=1.1.1.1], isolation: i, privileged: false, tags: [a], ulimits: {a: 1}, platforms: [linux/amd64]}
        cap_add: [A]
        cap_drop: [B]
        cgroup: host
        cgroup_parent: p
        command: a
        container_name: name
        cpu_count: 1
        cpu_percent: 50
        cpu_shares: 1
        cpu_quota: 1
        cpu_period: 1
        cpu_rt_period: 1
        cpu_rt_runtime: 1
        cpus: 1
        cpuset: 0-1
        credential_spec: {file: x}
        deploy: {mode: replicated, endpoint_mode: vip, replicas: 1, labels: [a], rollback_config: {parallelism: 1, delay: 1s, failure_action: pause, monitor: 1s, max_failure_ratio: 0.1, order: stop-first}, update_config: {order: start-first}, resources: {limits: {cpus: 1, memory: 1m, pids: 1}, reservations: {cpus: 1, memory: 1m, generic_resources: [{discrete_resource_spec: {kind: a, value: 1}}], devices: [{capabilities: [gpu], count: 1, driver: d, options: [a=b]}]}}, restart_policy: {condition: any, delay: 1s, max_attempts: 1, window: 1s}, placement: {constraints: [a], preferences: [{spread: a}], max_replicas_per_node: 1}}
        develop: {watch: [{path: a, action: sync+exec, target: /a, ignore: a, include: [b], initial_sync: true, exec: {command: a}}]}
        device_cgroup_rules: [a]
        devices: [/dev/a, "vendor.com/gpu=all", {source: a, target: b, permissions: r}]
        dns: 1.1.1.1
        dns_opt: [a]
        dns_search: [a]
        domainname: d
        entrypoint: [a]
        env_file: e
        environment: [A=1]
        expose: [80, "81/udp", 82-83]
        external_links: [a:b]
        extra_hosts: {a: 1.1.1.1, b: ["::1", "[::2]"], c: host-gateway}
        gpus: all
        group_add: [a, 1]
        healthcheck: {test: [CMD, a], interval: 1s, timeout: 1s, retries: 1, start_period: 1s, start_interval: 1s, disable: false}
        hostname: h
        init: true
        ipc: host
        isolation: i
        label_file: l
        labels: {a: 1}
        logging: {driver: d, options: {a: 1, b: null}}
        mac_address: m
        mem_limit: 1m
        mem_reservation: 1m
        mem_swappiness: 1
        memswap_limit: 1m
        network_mode: host
        oom_kill_disable: true
        oom_score_adj: 1
        pid: host
        pids_limit: 1
        platform: linux/amd64
        ports: [80]
        post_start: [{command: a, user: u, privileged: true, working_dir: /, environment: [A=1]}]
        pre_start: [{image: a, command: [a], per_replica: true}]
        pre_stop: [{command: a}]
        privileged: true
        profiles: []
        provider: {type: a, options: {a: [1, b], c: true}}
        pull_policy: every_12h
        pull_refresh_after: 24h
        read_only: true
        restart: on-failure:3
        runtime: r
        scale: 1
        security_opt: [a]
        shm_size: 1m
        stdin_open: true
        stop_grace_period: 1s
        stop_signal: SIGINT
        storage_opt: {size: 1G}
        sysctls: {a: 1}
        tmpfs: [/t]
        tty: true
        ulimits: {a: 1}
        use_api_socket: true
        user: u
        userns_mode: host
        uts: host
        volumes: [/v]
        volumes_from: ["container:a:ro"]
        working_dir: /w
        x-any: {a: [1]}
        """
}
