import OrderedCollections
import Testing
import YAML

@testable import Compose

/// What compose-go's `loader/tests` say of each key, restated: how a key is read, and which values are refused.
@Suite struct KeyOracleTests {
    /// The lines of one service, and what it must come to.
    private func check(_ lines: String, _ holds: (Service) -> Bool, _ location: SourceLocation = #_sourceLocation)
        throws
    {
        let service = try loadService(lines).service("web", location)
        #expect(holds(service), "\(lines)", sourceLocation: location)
    }

    @Test func `scalars of the process and its life`() throws {
        try check("attach: false") { $0.attach == false }
        try check("cgroup: private") { $0.cgroup == "private" }
        try check("cgroup_parent: m-executor-abcd") { $0.cgroupParent == "m-executor-abcd" }
        try check("container_name: my-web") { $0.containerName == "my-web" }
        try check("domainname: foo.example.com") { $0.domainname == "foo.example.com" }
        try check("hostname: foo") { $0.hostname == "foo" }
        try check("init: true") { $0.initProcess == true }
        try check("ipc: host\npid: host\nuts: host") { $0.ipc == "host" && $0.pid == "host" && $0.uts == "host" }
        try check("isolation: hyperv") { $0.isolation == "hyperv" }
        try check("mac_address: 02:42:ac:11:65:43") { $0.macAddress == "02:42:ac:11:65:43" }
        try check("oom_kill_disable: true\noom_score_adj: 500") { $0.oomKillDisable == true && $0.oomScoreAdj == 500 }
        try check("pids_limit: 10") { $0.pidsLimit == 10 }
        try check("platform: linux/amd64") { $0.platform == "linux/amd64" }
        try check("privileged: true") { $0.privileged == true }
        try check("runtime: runc") { $0.runtime == "runc" }
        try check("stdin_open: true\ntty: true") { $0.stdinOpen == true && $0.tty == true }
        try check("stop_signal: SIGUSR1\nstop_grace_period: 20s") {
            $0.stopSignal == "SIGUSR1" && $0.stopGracePeriod == .seconds(20)
        }
        try check("user: someone") { $0.user == "someone" }
        try check("userns_mode: host") { $0.usernsMode == "host" }
        try check("working_dir: /code") { $0.workingDir == "/code" }
        try check("read_only: true") { $0.readOnly == true }
        try check("scale: 3") { $0.scale == 3 }
    }

    @Test func `lists and maps keep their order and forms`() throws {
        try check("cap_add: [ALL]\ncap_drop: [NET_ADMIN, SYS_ADMIN]") {
            $0.capAdd == ["ALL"] && $0.capDrop == ["NET_ADMIN", "SYS_ADMIN"]
        }
        try check("command: bundle exec thin -p 3000") {
            $0.command?.map(\.masked) == ["bundle", "exec", "thin", "-p", "3000"]
        }
        try check("command: [\"bundle exec\", thin]") { $0.command?.map(\.masked) == ["bundle exec", "thin"] }
        try check("entrypoint: /code/entrypoint.sh -p 3000") {
            $0.entrypoint?.map(\.masked) == ["/code/entrypoint.sh", "-p", "3000"]
        }
        try check("device_cgroup_rules: [\"c 1:3 mr\", \"a 7:* rmw\"]") {
            $0.deviceCgroupRules == ["c 1:3 mr", "a 7:* rmw"]
        }
        try check("dns: 8.8.8.8\ndns_search: example.com\ndns_opt: [use-vc, no-tld-query]") {
            $0.dns == ["8.8.8.8"] && $0.dnsSearch == ["example.com"] && $0.dnsOpt == ["use-vc", "no-tld-query"]
        }
        try check("group_add: [mail, 1000]") { $0.groupAdd == ["mail", "1000"] }
        let linked =
            "services: {web: {image: a, links: [db, \"db:database\"], external_links: [redis_1, \"p_db_1:mysql\"]}, db: {image: d}}"
        let web = try load(linked).service("web")
        #expect(
            web.links.map(\.alias) == ["db", "database"] && web.externalLinks.map(\.alias) == ["redis_1", "mysql"])
        try check("security_opt: [\"label=level:s0:c100,c200\", \"label=type:svirt_apache_t\"]") {
            $0.securityOpt == ["label=level:s0:c100,c200", "label=type:svirt_apache_t"]
        }
        try check("storage_opt: {size: 20G}") { $0.storageOpt == ["size": "20G"] }
        try check("sysctls: {net.core.somaxconn: 1024}") { $0.sysctls == ["net.core.somaxconn": "1024"] }
        try check("sysctls: [\"net.core.somaxconn=1024\"]") { $0.sysctls == ["net.core.somaxconn": "1024"] }
        try check("ulimits: {nproc: 65535, nofile: {soft: 20000, hard: 40000}}") {
            $0.ulimits["nproc"]?.hard == 65535 && $0.ulimits["nofile"]?.soft == 20000
        }
        try check("expose: [\"3000\", 8000, \"9000-9002/udp\"]") {
            $0.expose.map(\.port) == [3000, 8000, 9000, 9001, 9002] && $0.expose.last?.transport == .udp
        }
        try check("volumes_from: [\"container:elsewhere:rw\"]") { $0.volumesFrom.first?.isContainer == true }
    }

    @Test func `hosts in every form`() throws {
        for lines in [
            "extra_hosts: [\"somehost:162.242.195.82\"]", "extra_hosts: [\"somehost=162.242.195.82\"]",
            "extra_hosts: {somehost: 162.242.195.82}", "extra_hosts: {somehost: [162.242.195.82]}",
        ] {
            try check(lines) {
                $0.extraHosts.map(\.host) == ["somehost"] && $0.extraHosts.map(\.address) == ["162.242.195.82"]
            }
        }
        for lines in [
            "extra_hosts: [\"myhostv6:::1\"]", "extra_hosts: [\"myhostv6=[::1]\"]", "extra_hosts: {myhostv6: \"::1\"}",
        ] {
            try check(lines) { $0.extraHosts.map(\.address) == ["::1"] }
        }
    }

    @Test func `processors and memory`() throws {
        try check("cpu_count: 2\ncpu_percent: 50\ncpus: 0.5\ncpu_shares: 1024\ncpu_quota: 50000\ncpu_period: 100ms") {
            $0.cpuCount == 2 && $0.cpuPercent == 50 && $0.cpus == 0.5 && $0.cpuShares == 1024 && $0.cpuQuota == 50000
                && $0.cpuPeriod == 100_000
        }
        try check("mem_limit: 50m\nmem_reservation: 20m\nmemswap_limit: 100m\nmem_swappiness: 60\nshm_size: 1g") {
            $0.memLimit == 50 << 20 && $0.memReservation == 20 << 20 && $0.memswapLimit == 100 << 20
                && $0.memSwappiness == 60 && $0.shmSize == 1 << 30
        }
        try check("blkio_config: {weight: 300, weight_device: [{path: /dev/sda, weight: 400}]}") {
            $0.blkioConfig?.weight == 300 && $0.blkioConfig?.weightDevice.first?.value == 400
        }
        try check(
            "deploy: {resources: {limits: {cpus: \"0.001\", memory: 50M, pids: 10}, reservations: {cpus: 0.0001}}}"
        ) {
            $0.deploy?.resources?.limits?.memory == 50 << 20 && $0.pidsLimit == 10
        }
    }

    @Test(arguments: [
        ("always", PullPolicy.always), ("never", .never), ("missing", .missing), ("if_not_present", .missing),
        ("build", .build),
    ])
    func `pull policies`(_ text: String, _ policy: PullPolicy) throws {
        try check("pull_policy: \(text)") { $0.pullPolicy == policy }
    }

    @Test func `ports in short and long form`() throws {
        try check("ports: [3000, \"3001-3002\", \"49100:22\", \"127.0.0.1:8001:8001\", \"5001:5001/udp\"]") { service in
            service.ports.map(\.target) == [3000, 3001, 3002, 22, 8001, 5001]
                && service.ports.map { $0.published?.lowerBound } == [nil, nil, nil, 49100, 8001, 5001]
                && service.ports.map(\.transport) == [.tcp, .tcp, .tcp, .tcp, .tcp, .udp]
        }
        try check(
            "ports: [{target: 80, published: \"8080\", protocol: tcp, mode: host, name: web, app_protocol: http}]"
        ) {
            $0.ports.first
                == PortMapping(
                    target: 80, published: 8080...8080, transport: .tcp, name: "web", mode: "host", appProtocol: "http",
                    mark: $0.ports.first?.mark ?? .generated)
        }
    }

    @Test func `mounts in short and long form`() throws {
        try check(
            "volumes: [/anonymous, \"./static:/static:ro,z\", {type: tmpfs, target: /t, tmpfs: {size: 10000, mode: 0755}}]"
        ) {
            service in
            service.volumes.map(\.kind) == [.volume, .bind, .tmpfs] && service.volumes[0].source == nil
                && service.volumes[1].source == "/p/static" && service.volumes[1].isReadOnly
                && service.volumes[1].bind?.selinux == "z" && service.volumes[2].tmpfs?.size == 10_000
                && service.volumes[2].tmpfs?.mode == 0o755
        }
        try check(
            "volumes: [{type: bind, source: ., target: /x, bind: {create_host_path: false, propagation: rslave}}]"
        ) {
            $0.volumes[0].bind?.createHostPath == false && $0.volumes[0].bind?.propagation == "rslave"
        }
        try check("volumes: [{type: image, source: app, target: /i, image: {subpath: d}}]") {
            $0.volumes[0].imageSubpath == "d"
        }
    }

    @Test func `depends_on in both forms`() throws {
        let text = """
            services:
              web:
                image: web
                depends_on: {db: {condition: service_healthy, restart: true}, seed: {condition: service_completed_successfully, required: false}}
              plain: {image: plain, depends_on: [db]}
              db: {image: db}
              seed: {image: seed}
            """
        let project = try load(text).sound()
        let web = try #require(project.services["web"]?.dependsOn)
        #expect(web["db"]?.condition == .healthy && web["db"]?.restart == true && web["db"]?.isRequired == true)
        #expect(web["seed"]?.condition == .completedSuccessfully && web["seed"]?.isRequired == false)
        #expect(project.services["plain"]?.dependsOn["db"]?.condition == .started)
    }

    @Test func `healthchecks in every form`() throws {
        try check(
            "healthcheck: {test: [CMD, echo, hi], interval: 10s, timeout: 1s, retries: 5, start_period: 15s, start_interval: 5s}"
        ) {
            service in
            guard let check = service.healthcheck, case .command(let words)? = check.test else { return false }
            return words.map(\.masked) == ["echo", "hi"] && check.interval == .seconds(10) && check.retries == 5
                && check.startPeriod == .seconds(15) && check.startInterval == .seconds(5)
        }
        try check("healthcheck: {test: echo hi}") {
            if case .shell(let line)? = $0.healthcheck?.test { line.masked == "echo hi" } else { false }
        }
        try check("healthcheck: {disable: true}") { $0.healthcheck?.isDisabled == true }
    }

    @Test(arguments: [
        "cgroup: foo", "cpus: -1", "pids_limit: many", "oom_score_adj: 2000", "mem_swappiness: 200", "init: perhaps",
        "ports: [{target: 80, protocol: ftp}]", "ports: [\"99999\"]", "expose: [web]", "container_name: \"a b\"",
        "network_mode: host\nnetworks: [default]", "pull_policy: sometimes", "restart: maybe", "gpus: some",
        "ulimits: {nofile: {soft: 1}}", "volumes: [{target: /x}]",
        "volumes: [{type: tmpfs, target: /x, tmpfs: {size: 0.0001}}]",
        "volumes: [{type: bind, source: ./x, target: relative}]", "healthcheck: {test: [NOPE]}",
        "stop_grace_period: soon",
        "depends_on: {db: {condition: service_ready}}", "deploy: {mode: many}", "deploy: {replicas: -1}",
        "blkio_config: {weight_device: [{path: /dev/sda}]}", "configs: [none]", "secrets: [none]", "models: [none]",
        "devices: [{target: /x}]", "env_file: [{path: a, format: other}]", "logging: [a]", "environment: {A: [1]}",
        "labels: {A: {b: c}}", "extra_hosts: [nowhere]", "build: {dockerfile: a, dockerfile_inline: b}",
    ])
    func `wrong values are refused`(_ lines: String) {
        #expect(!loadService(lines).errors.isEmpty, "\(lines)")
    }
}
