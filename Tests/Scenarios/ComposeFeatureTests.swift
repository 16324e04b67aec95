import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// What compose files ask of a container, looked at from inside it.
@Suite(.pods) struct ComposeFeatureTests {
    @Test(.podmanOnly) func `files of configs and secrets have their modes, owners and places`() async throws {
        try await withSandbox { sandbox in
            let more = """
                    environment: {VALUE: x}
                    configs:
                      - plain
                      - {source: script, target: /opt/run.sh, mode: 0755}
                    secrets:
                      - plain_secret
                      - {source: key, target: key.pem, mode: 0400, uid: "1000", gid: "1000"}
                      - {source: key, target: /etc/absolute, mode: 0440}

                """
            try await sandbox.create(
                "services:\n" + idle("app", more) + """
                    configs:
                      plain: {content: "a\\nb"}
                      script: {file: ../config/STACK/run.sh}
                    secrets:
                      plain_secret: {file: ../config/STACK/plain.txt}
                      key: {file: ../config/STACK/plain.txt}

                    """, config: ["run.sh": "#!/bin/sh\necho ran\n", "plain.txt": "s3cret"])
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.inside("app", "cat", "/plain") == "a\nb")
            #expect(try await sandbox.inside("app", "/opt/run.sh") == "ran")
            let files = [
                "/plain": "444 0", "/opt/run.sh": "755 0", "/run/secrets/plain_secret": "444 0",
                "/run/secrets/key.pem": "400 1000", "/etc/absolute": "440 0",
            ]
            for (path, access) in files.sorted(by: { $0.key < $1.key }) {
                #expect(try await sandbox.inside("app", "stat", "-L", "-c", "%a %u", path) == access, "\(path)")
            }
            #expect(try await sandbox.inside("app", "cat", "/run/secrets/key.pem") == "s3cret")
        }
    }

    @Test(.podmanOnly) func `limits, groups, processes, names and hosts are those of the file`() async throws {
        try await withSandbox { sandbox in
            let more = """
                    ulimits: {nofile: {soft: 512, hard: 1024}, core: 0}
                    pids_limit: 64
                    mem_limit: 64m
                    user: "1000:2000"
                    group_add: ["3000"]
                    extra_hosts: ["db.example.com:10.1.2.3", "gateway:host-gateway"]
                    dns_search: [example.com]
                    dns_opt: ["ndots:3"]
                    domainname: example.com
                    hostname: named.example.com
                    sysctls: {net.ipv4.ip_unprivileged_port_start: "0"}
                    tmpfs: ["/scratch:size=1m,mode=1770"]
                    shm_size: 2m
                    labels: {team: blue}
                    stop_signal: SIGUSR1
                    environment: {TZ: UTC}
                    cap_drop: [ALL]
                    cap_add: [NET_BIND_SERVICE]
                    security_opt: ["no-new-privileges:true"]

                """
            try await sandbox.create("services:\n" + idle("app", more))
            try await sandbox.mustDeployment("start")
            let answers = [
                "ulimit -Hn": "1024", "ulimit -c": "0", "id -u": "1000", "id -g": "2000",
                "id -G | tr ' ' '\\n' | grep -c 3000": "1",
                "grep db.example.com /etc/hosts | cut -f1 | cut -d' ' -f1": "10.1.2.3",
                "grep -c gateway /etc/hosts": "1", "grep -c 'search.*example.com' /etc/resolv.conf": "1",
                "grep -c ndots:3 /etc/resolv.conf": "1", "hostname": "named.example.com",
                "cat /proc/sys/net/ipv4/ip_unprivileged_port_start": "0",
                "df -k /scratch | tail -1 | tr -s ' ' | cut -d' ' -f2": "1024",
                "df -k /dev/shm | tail -1 | tr -s ' ' | cut -d' ' -f2": "2048",
                "grep NoNewPrivs /proc/self/status | tr -dc 0-9": "1",
                "grep CapBnd /proc/self/status | cut -f2": "0000000000000400",
            ]
            for (command, answer) in answers.sorted(by: { $0.key < $1.key }) {
                #expect(try await sandbox.inside("app", "sh", "-c", command) == answer, "\(command)")
            }
            let container = try #require(try await sandbox.containers("app").first)
            let facts = try await Podman.lines(
                "container", "inspect", "--format",
                "{{.HostConfig.Memory}} {{.HostConfig.PidsLimit}} {{index .Config.Labels \"team\"}} {{.Config.StopSignal}}",
                container)
            #expect(facts == ["67108864 64 blue 10"])
            // Asked inside, some versions of runc answer with the hard limit now and then: Go raises the soft one at its start.
            // https://github.com/opencontainers/runc/issues/4195
            let limits = try await Podman.lines(
                "container", "inspect", "--format",
                "{{range .HostConfig.Ulimits}}{{.Name}} {{.Soft}} {{.Hard}},{{end}}", container)
            #expect(limits.first?.contains("RLIMIT_NOFILE 512 1024,") == true, "\(limits)")
        }
    }

    @Test(.podmanOnly) func `an empty volume takes what the image holds there, unless nocopy says otherwise`()
        async throws
    {
        try await withSandbox { sandbox in
            // /bin of the test image holds its programs.
            let filled = """
                    volumes: ["bound:/bin"]

                """
            try await sandbox.create(
                "services:\n" + idle("named", "    volumes: [\"kept:/bin\"]\n") + idle("path", filled)
                    + idle("without", "    volumes: [\"empty:/tmp:nocopy\", \"emptypath:/etc:nocopy\"]\n")
                    + "volumes:\n  kept:\n  bound:\n  empty:\n  emptypath:\n",
                spec: "volumes:\n  bound: ./data/bound\n  emptypath: ./data/emptypath\n")
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.inside("named", "ls", "/bin/busybox") == "/bin/busybox")
            #expect(try await sandbox.inside("path", "ls", "/bin/busybox") == "/bin/busybox")
            #expect(exists(sandbox.deployment + "/data/bound/busybox"), "it is in the volume's own directory")
            #expect(try await sandbox.inside("without", "ls", "-A", "/tmp") == "")
            try await sandbox.inside("path", "sh", "-c", "echo mine >/bin/mine; rm /bin/yes")
            try await sandbox.mustDeployment("stop")
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.inside("path", "cat", "/bin/mine") == "mine")
            #expect(!exists(sandbox.deployment + "/data/bound/yes"), "what holds anything is not filled again")
        }
    }

    @Test(.podmanOnly) func `an empty directory of a volume is its service's, unless somebody has given it away`()
        async throws
    {
        try await withSandbox { sandbox in
            let user = "    user: \"1000:1000\"\n"
            try await sandbox.create(
                "services:\n" + idle("path", user + "    volumes: [\"own:/state\"]\n")
                    + idle("given", user + "    volumes: [\"given:/state\"]\n") + "volumes:\n  own:\n  given:\n",
                spec: "volumes:\n  own: ./data/own\n  given: ./data/given\n")
            chown(sandbox.deployment + "/data/given", 1234, 1234)
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.inside("path", "sh", "-c", "echo x >/state/x && cat /state/x") == "x")
            // Only root can give anything away.
            let owner = try await sandbox.inside("given", "stat", "-c", "%u", "/state")
            #expect(geteuid() != 0 || owner == "1234")
        }
    }

    @Test(.podmanOnly) func `restart policies: what ends well stays ended, what fails is tried again`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(
                """
                services:
                  once:
                    image: IMAGE
                    command: ["true"]
                    restart: "no"
                  third:
                    image: IMAGE
                    command: ["sh", "-c", "echo x >>/data/tries; test $$(wc -l </data/tries) -ge 3"]
                    restart: on-failure:5
                    volumes: ["data:/data"]
                  after:
                    image: IMAGE
                    command: ["sh", "-c", "wc -l </data/tries; exec sleep 100000"]
                    stop_grace_period: 0s
                    volumes: ["data:/data"]
                    depends_on: {third: {condition: service_completed_successfully}}
                  always:
                    image: IMAGE
                    command: ["sleep", "100000"]
                    restart: always
                    stop_grace_period: 0s
                volumes: {data: }
                """)
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.mustDeployment("logs", "after").output.contains("3"))
            let before = try #require(try await sandbox.containers("always").first)
            let process = try #require(
                try await Podman.lines("container", "inspect", "--format", "{{.State.Pid}}", before).first)
            _ = try await run("kill", ["-9", process], environment: Podman.environment)
            try await eventually("podman starts it again") {
                try await Podman.lines(
                    "container", "inspect", "--format", "{{.State.Running}} {{.RestartCount}}", before)
                    == ["true 1"]
            }
            #expect(try await sandbox.containers("once") == [])
        }
    }

    @Test func `the failure of a dependency that is not required is told, and fails nothing else`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(
                """
                services:
                  cache:
                    image: IMAGE
                    command: ["sleep", "100000"]
                    stop_grace_period: 0s
                    healthcheck: {test: "exit 1", interval: 100ms, retries: 2}
                  app:
                    image: IMAGE
                    command: ["sleep", "100000"]
                    stop_grace_period: 0s
                    depends_on: {cache: {condition: service_healthy, required: false}}
                  other:
                    image: IMAGE
                    command: ["sleep", "100000"]
                    stop_grace_period: 0s
                    depends_on: [app]
                """)
            let started = try await sandbox.mustDeployment("start")
            #expect(started.errors.contains("cache"), "\(started)")
            #expect(try await sandbox.containers("app").count == 1)
            #expect(try await sandbox.containers("other").count == 1)
        }
    }

    @Test(.podmanOnly) func `each replica answers on a port of the range, and a range leaves named ports alone`()
        async throws
    {
        let first = try freePort()
        try await withSandbox { sandbox in
            try await sandbox.create(
                """
                services:
                  web:
                    image: IMAGE
                    command: ["sh", "-c", "mkdir /tmp/w; hostname >/tmp/w/index.html; exec httpd -f -p 80 -h /tmp/w"]
                    stop_grace_period: 0s
                    scale: 2
                    ports: ["127.0.0.1:\(first)-\(first + 40):80"]
                  fixed:
                    image: IMAGE
                    command: ["sh", "-c", "mkdir /tmp/w; echo fixed >/tmp/w/index.html; exec httpd -f -p 80 -h /tmp/w"]
                    stop_grace_period: 0s
                    ports: ["127.0.0.1:\(first):80"]
                """)
            try await sandbox.mustDeployment("start")
            try await eventually("the named port is the other service's") {
                try await get("http://127.0.0.1:\(first)/").contains("fixed")
            }
            let ports = try await Podman.lines(
                "ps", "--filter", "name=\(sandbox.namespace)_web", "--format", "{{.Ports}}")
            #expect(Set(ports).count == 2, "\(ports)")
            for line in ports {
                let port = try #require(line.split(separator: "->").first?.split(separator: ":").last)
                #expect(port != "\(first)")
                try await eventually("each replica answers") {
                    try await !get("http://127.0.0.1:\(port)/").isEmpty
                }
            }
        }
    }

    @Test func `services share a pod's network, and a container of the project is its service`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(
                """
                services:
                  vpn:
                    image: IMAGE
                    container_name: STACK-vpn
                    command: ["sh", "-c", "mkdir /tmp/w; echo shared >/tmp/w/index.html; exec httpd -f -p 80 -h /tmp/w"]
                    stop_grace_period: 0s
                  client:
                    image: IMAGE
                    network_mode: "container:STACK-vpn"
                    command: ["sleep", "100000"]
                    stop_grace_period: 0s
                """)
            try await sandbox.mustDeployment("start")
            try await eventually("both have one loopback") {
                try await sandbox.inside("client", "wget", "-q", "-O", "-", "http://127.0.0.1/") == "shared"
            }
        }
    }

    @Test(
        .podmanOnly,
        arguments: [
            ("    volumes: [{type: npipe, source: x, target: /x}]\n", "npipe"),
            ("    ulimits: {nofile: 2000000000}\n", "nofile"),
            ("    scale: 2\n    ports: [\"8080:80\"]\n", "8080"),
            ("    provider: {type: cloud}\n", "provider"),
        ])
    func `what podman cannot run is named before anything starts`(_ more: String, _ word: String) async throws {
        try await withSandbox { sandbox in
            try sandbox.writeStack("services:\n" + idle("first") + idle("app", more))
            try sandbox.writeSpec()
            var said = try await sandbox.so([
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment,
            ])
            if said.succeeded { said = try await sandbox.deployment("start") }
            #expect(!said.succeeded && said.errors.contains(word), "\(said)")
            #expect(try await Podman.named(sandbox.token) == [], "nothing was made")
        }
    }

    @Test(.podmanOnly) func `what podman has otherwise is named, and starts`() async throws {
        try await withSandbox { sandbox in
            try sandbox.writeStack("services:\n" + idle("app", "    privileged: true\n    runtime: kata\n"))
            try sandbox.writeSpec()
            let created = try await sandbox.so([
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment,
            ])
            #expect(created.succeeded, "\(created)")
            let said = try await sandbox.deployment("start")
            #expect(said.succeeded && said.errors.contains("runtime"), "\(said)")
            #expect(said.errors.contains("no meaning on podman"), "\(said)")
        }
    }

    @Test func `a Helm chart is made with the deployment, kept up to date, and holds no secret`()
        async throws
    {
        try await withPodlessSandbox { sandbox in
            try sandbox.writeStack("services:\n" + idle("app", "    environment: {PASSWORD: \"${PASSWORD}\"}\n"))
            try sandbox.writeSpec("config:\n  PASSWORD: $generate:hex:16$\n")
            let create = ["deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment]
            let created = try await sandbox.so(create + ["--helm-chart"])
            try #require(created.succeeded, "\(created)")
            let values = try read(sandbox.deployment + "/chart/values.yaml")
            #expect(values.contains("app-env: app-env"))
            #expect(exists(sandbox.deployment + "/chart/templates/deployment-app.yaml"))
            try sandbox.writeStack("services:\n" + idle("app") + idle("other"))
            let updated = try await sandbox.so(create + ["--update"])
            try #require(updated.succeeded, "\(updated)")
            #expect(exists(sandbox.deployment + "/chart/templates/deployment-other.yaml"))
        }
    }
}
