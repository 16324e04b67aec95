import Compose
import OrderedCollections
import Stacks
import TestSupport
import Testing
import YAML

@testable import Specs

@Suite struct LayeringTests {
    let web = """
        services:
          web:
            image: web
            environment:
              GREETING: ${GREETING:-hello}
              FIXED: from compose
              URL: postgres://app:${DB_PASSWORD}@db/app
              BARE:
            ports: ["80:8080"]
          db:
            image: db
            environment:
              DB_PASSWORD:
            volumes: ["data:/var/lib"]
        volumes:
          data:
        """

    @Test func `a value comes from the strongest layer and knows what it set aside`() throws {
        let layered = try layered(
            pods: ["p": web], spec: "config: {GREETING: hi, FIXED: from spec, DB_PASSWORD: x, BARE: b}\n")
        #expect(layered.messages == [])
        let greeting = try #require(layered.entry("web", "GREETING"))
        #expect(greeting.value == "hi")
        #expect(greeting.layer == .spec)
        #expect(greeting.mark.description.hasPrefix("/d/spec.yml:3:"))
        #expect(greeting.shadowed.map(\.text) == ["hello"])
        #expect(greeting.shadowed.map(\.layer) == [.composeDefault])
        let fixed = try #require(layered.entry("web", "FIXED"))
        #expect(fixed.value == "from spec")
        #expect(fixed.shadowed.map(\.text) == ["from compose"])
        #expect(fixed.shadowed.first?.mark.description == "/so/compose/docker-compose-p.yml:6:14")
        #expect(layered.value("web", "URL") == "postgres://app:x@db/app")
        #expect(layered.entry("web", "URL")?.layer == .composeFile)
        #expect(layered.value("web", "BARE") == "b")
    }

    @Test func `a default of compose stays and says that it is one`() throws {
        let layered = try layered(pods: ["p": web], spec: "config: {DB_PASSWORD: x}\n")
        #expect(layered.value("web", "GREETING") == "hello")
        #expect(layered.entry("web", "GREETING")?.layer == .composeDefault)
        #expect(layered.entry("web", "BARE") == nil)
    }

    @Test func `an empty value of the spec wins over defaults`() throws {
        let layered = try layered(pods: ["p": web], spec: "config: {GREETING: , FIXED: '', DB_PASSWORD: x}\n")
        #expect(layered.value("web", "GREETING") == "")
        #expect(layered.value("web", "FIXED") == "")
    }

    @Test func `a secret taints what it flows into and nothing else`() throws {
        let layered = try layered(pods: ["p": web], spec: "config: {DB_PASSWORD: $generate:hex:8$, GREETING: hi}\n")
        let result = try #require(layered.result)
        #expect(result.generators.mapValues(\.kind) == ["DB_PASSWORD": .hex(8)])
        #expect(layered.value("web", "URL") == "postgres://app:***@db/app")
        #expect(layered.entry("web", "URL")?.value.secretNames == ["DB_PASSWORD"])
        #expect(layered.entry("db", "DB_PASSWORD")?.value == .secret("DB_PASSWORD"))
        #expect(layered.entry("web", "DB_PASSWORD") == nil)
        #expect(layered.entry("web", "GREETING")?.value.isSecret == false)
        #expect(result.configEnv.text == "GREETING=hi\n")
    }

    @Test func `the operator's environment is read for listed names only`() throws {
        let environment = ["GREETING": "from host", "FIXED": "from host", "DB_PASSWORD": "leak"]
        let layered = try layered(
            pods: ["p": web], spec: "env-from-host: [GREETING, ABSENT]\n", environment: environment)
        #expect(layered.value("web", "GREETING") == "from host")
        #expect(layered.entry("web", "GREETING")?.layer == .hostEnvironment)
        #expect(layered.value("web", "FIXED") == "from compose")
        #expect(layered.value("web", "URL") == "postgres://app:@db/app")
        #expect(layered.messages.contains { $0.contains("the environment has no ABSENT") })
    }

    @Test func `credentials are secret, and the spec's config is stronger`() throws {
        let file = "# comment\nexport DB_PASSWORD='p$w'\nFIXED=\"two\\nlines\"\nGREETING=\n"
        let layered = try layered(
            pods: ["p": web], spec: "credentials-files: [./c.env]\nconfig: {FIXED: open}\n", files: ["/d/c.env": file])
        let result = try #require(layered.result)
        #expect(layered.messages == [])
        #expect(result.credentials == ["DB_PASSWORD": "p$w"])
        #expect(layered.value("web", "URL") == "postgres://app:***@db/app")
        #expect(layered.entry("db", "DB_PASSWORD")?.layer == .credentialsFile)
        #expect(layered.value("web", "FIXED") == "open")
        #expect(layered.entry("web", "FIXED")?.shadowed.map(\.layer) == [.composeFile, .credentialsFile])
        #expect(layered.entry("web", "FIXED")?.shadowed.map(\.text.masked) == ["from compose", "***"])
        #expect(layered.value("web", "GREETING") == "")
    }

    @Test func `a missing credentials file and a dollar that would vanish are errors`() throws {
        let missing = try layered(pods: ["p": web], spec: "credentials-files: [./c.env]\n")
        #expect(missing.result == nil)
        #expect(missing.messages.first?.contains("/d/c.env does not exist") == true)
        let dollar = try layered(
            pods: ["p": web], spec: "credentials-files: [./c.env]\n", files: ["/d/c.env": "DB_PASSWORD=pa$word\n"])
        #expect(dollar.result == nil)
        #expect(dollar.messages.contains { $0.hasPrefix("/d/c.env:1:") && $0.contains("single quotes") })
        #expect(!dollar.messages.contains { $0.contains("pa$") })
    }

    @Test func `the author decides how a variable flows into its namesake`() throws {
        let compose = "services: {a: {image: a, environment: {OPTS: \"-x ${OPTS}\", ON: \"${ON:+yes}\"}}}"
        let layered = try layered(pods: ["p": compose], spec: "config: {OPTS: -y, ON: 1}\n")
        #expect(layered.value("a", "OPTS") == "-x -y")
        #expect(layered.value("a", "ON") == "yes")
    }

    @Test func `values of config may refer to each other, and any other dollar stays`() throws {
        let compose = "services: {a: {image: a, environment: {URL: , RAW: , ESC: }}}"
        let layered = try layered(
            pods: ["p": compose],
            spec:
                "config: {URL: 'x://${PW}@${HOST}', PW: $generate:uuid$, HOST: h, RAW: 'a$b${c}$HOST$', ESC: '$${HOST}'}\n"
        )
        #expect(layered.messages == [])
        #expect(layered.entry("a", "URL")?.value.secretNames == ["PW"])
        #expect(layered.value("a", "URL") == "x://***@h")
        #expect(layered.value("a", "RAW") == "a$b${c}$HOST$")
        #expect(layered.value("a", "ESC") == "${HOST}")
        let circle = try Self().circle()
        #expect(circle.contains { $0.contains("the values refer to each other: A → B → A") })
    }

    private func circle() throws -> [String] {
        let compose = "services: {a: {image: a, environment: {A: , B: }}}"
        return try layered(pods: ["p": compose], spec: "config: {A: '${B}', B: '${A}'}\n").messages
    }

    @Test func `a variable that reaches nothing is reported with its near match`() throws {
        let layered = try layered(pods: ["p": web], spec: "config: {DB_PASSWORD: x, GREETINGS: hi, OTHER: a}\n")
        #expect(layered.messages.count == 2)
        #expect(layered.messages.contains { $0.contains("the variable GREETINGS\nhint: did you mean 'GREETING'?") })
        #expect(layered.messages.contains { $0.contains("OTHER\nhint: remove it, declare it") })
        #expect(layered.entry("web", "OTHER") == nil)
    }

    @Test func `config-scope all gives every variable to every service`() throws {
        let layered = try layered(
            pods: ["p": web], spec: "config-scope: all\nconfig: {DB_PASSWORD: $generate:hex:4$, OTHER: a}\n")
        #expect(layered.messages == [])
        #expect(layered.value("web", "OTHER") == "a")
        #expect(layered.value("db", "OTHER") == "a")
        #expect(layered.entry("web", "DB_PASSWORD")?.value == .secret("DB_PASSWORD"))
    }

    @Test func `repeating a default is reported, differing from one of several is not`() throws {
        let same = try layered(
            pods: ["p": web], spec: "config: {DB_PASSWORD: x, GREETING: hello, FIXED: from compose}\n")
        #expect(same.messages.filter { $0.contains("repeats the stack's own default") }.count == 2)
        let compose = "services: {a: {image: a, command: \"${V:-1}\", environment: {X: \"${V:-2}\"}}}"
        #expect(try layered(pods: ["p": compose], spec: "config: {V: 1}\n").messages == [])
    }

    @Test func `ports of the spec replace a service's own`() throws {
        let layered = try layered(
            pods: ["p": web],
            spec: "config: {DB_PASSWORD: x}\nnetwork: {ports: {web: ['127.0.0.1:9:8080/udp'], wbe: ['1']}}\n")
        let ports = try #require(layered.result?.project.services["web"]?.ports)
        #expect(ports.count == 1)
        #expect(ports.first?.published == 9...9)
        #expect(ports.first?.hostIP == "127.0.0.1")
        #expect(ports.first?.transport == .udp)
        #expect(layered.messages.count == 1)
        #expect(layered.messages.first?.contains("no service 'wbe'\nhint: did you mean 'web'?") == true)
    }

    @Test func `ports that the spec publishes no more stay open to other services`() throws {
        let compose = "services: {a: {image: a, ports: ['80', '9090:90', '53:53/udp'], expose: ['90']}}"
        let layered = try layered(pods: ["p": compose], spec: "network: {ports: {a: ['8080:80']}}\n")
        let service = try #require(layered.result?.project.services["a"])
        #expect(service.ports.map(\.published) == [8080...8080])
        #expect(service.expose.map { "\($0.port)/\($0.transport.rawValue)" } == ["90/tcp", "53/udp"])
    }

    @Test func `overrides merge over pods and jobs by compose's rules`() throws {
        let overrides = """
            overrides:
              services:
                web: {environment: {FIXED: over, NEW: n}, ports: !reset null}
                seed: {environment: {S: "2"}}
              pods: [{name: p, colocate: true}]
            config: {DB_PASSWORD: x, FIXED: from spec}
            """
        let layered = try layered(
            pods: ["p": web], jobs: ["seed": "services: {seed: {image: s, environment: {S: \"1\"}}}"], spec: overrides)
        #expect(layered.messages == [])
        #expect(layered.value("web", "FIXED") == "over")
        #expect(layered.entry("web", "FIXED")?.layer == .override)
        #expect(layered.entry("web", "FIXED")?.shadowed.last?.layer == .spec)
        #expect(layered.value("web", "NEW") == "n")
        #expect(layered.result?.project.services["web"]?.ports == [])
        #expect(layered.value("seed", "S") == "2")
        #expect(layered.result?.project.services["seed"] == nil)
        #expect(layered.result?.components == [Component(name: "p", colocate: true, serviceNames: ["web", "db"])])
    }

    @Test func `ports in both network and overrides are an error`() throws {
        let layered = try layered(
            pods: ["p": web],
            spec:
                "config: {DB_PASSWORD: x}\nnetwork: {ports: {web: ['1']}}\noverrides: {services: {web: {ports: ['2']}}}\n"
        )
        #expect(layered.messages.contains { $0.contains("network.ports and overrides both set the ports of 'web'") })
    }

    @Test func `pods become one project that shares volumes and dependencies`() throws {
        let other = """
            services:
              worker: {image: w, volumes: ["data:/d"], depends_on: [db]}
            volumes: {data: }
            """
        let job = "services: {seed: {image: s, depends_on: [worker]}}"
        let layered = try layered(
            pods: ["p": web, "q": other], jobs: ["seed": job], spec: "config: {DB_PASSWORD: x}\n")
        let result = try #require(layered.result)
        #expect(layered.messages == [])
        #expect(Array(result.project.services.keys) == ["web", "db", "worker"])
        #expect(Array(result.project.volumes.keys) == ["data"])
        #expect(result.project.name == "app")
        #expect(result.components.map(\.serviceNames) == [["web", "db"], ["worker"]])
        #expect(result.component(of: "worker")?.name == "q")
        #expect(result.jobs["seed"]?.services["seed"]?.dependsOn["worker"] != nil)
        #expect(!result.project.files.contains { $0.contains(".so-") })
    }

    @Test func `one service in two pods is an error that names both places`() throws {
        let layered = try layered(
            pods: ["p": web, "q": "services:\n  db: {image: x}\n"], spec: "config: {DB_PASSWORD: x}\n")
        #expect(layered.result == nil)
        let message = try #require(layered.messages.first { $0.contains("'db'") })
        #expect(
            message.hasPrefix(
                "/so/compose/docker-compose-q.yml:2:3: error: the service 'db' is defined in both pods 'p' and 'q'"))
        #expect(message.hasSuffix("/so/compose/docker-compose-p.yml:10:3"))
    }

    @Test func `an image override replaces the image`() throws {
        let layered = try layered(
            pods: ["p": web], spec: "config: {DB_PASSWORD: x}\nimage-overrides: {web: web:2, wep: x}\n")
        #expect(layered.result?.project.services["web"]?.image == "web:2")
        #expect(layered.messages.count == 1)
    }

    @Test func `settings for what the stack does not have are reported`() throws {
        let layered = try layered(
            pods: ["p": web],
            spec: "config: {DB_PASSWORD: x}\nvolumes: {dta: }\nconfigmaps: {gone: ./x}\n"
                + "resources: {containers: {bd: {limits: {cpus: 1}}}, volumes: {vol: {reservations: {storage: 1G}}}}\n"
                + "overrides: {pods: [{name: zzz, colocate: true}]}\n")
        #expect(layered.messages.count == 5)
        #expect(layered.messages.allSatisfy { $0.contains("warning: ") })
        #expect(
            layered.messages.contains {
                $0.contains("volumes: the stack has no volume 'dta'\nhint: did you mean 'data'?")
            })
    }

    @Test func `dotenv beside the compose file is the weakest layer of variables`() throws {
        let layered = try layered(
            pods: ["p": web], spec: "config: {DB_PASSWORD: x}\n",
            files: ["/so/compose/.env": "GREETING=env\nDB_PASSWORD=env\n"])
        #expect(layered.value("web", "GREETING") == "env")
        #expect(layered.entry("web", "GREETING")?.layer == .dotEnv)
        #expect(layered.value("web", "URL") == "postgres://app:x@db/app")
    }

    @Test func `a line of an env_file is overridden by the spec`() throws {
        let compose = "services: {a: {image: a, env_file: [../config/p/a.env]}}"
        let layered = try layered(
            pods: ["p": compose], spec: "config: {A: spec}\n", files: ["/so/config/p/a.env": "A=file\nB=file\n"])
        #expect(layered.value("a", "A") == "spec")
        #expect(layered.entry("a", "A")?.shadowed.map(\.layer) == [.envFile])
        #expect(layered.entry("a", "B")?.mark.description.hasPrefix("/so/config/p/a.env:2") == true)
    }

    @Test func `an external stack reads config that only the built-in root has`() throws {
        let files = [
            "/x/stacks/s/stack.yml": "pods: [p]\n",
            "/x/compose/docker-compose-p.yml":
                "services: {a: {image: a, env_file: [../config/p/a.env, ../config/p/b.env]}}",
            "/so/stacks/z/stack.yml": "", "/so/config/p/a.env": "A=built-in\n", "/so/config/p/b.env": "B=built-in\n",
            "/x/config/p/b.env": "B=own\n",
        ]
        let tree = tree(files)
        let stack = try resolver(tree).resolve("/x/stacks/s")
        var diagnostics = Diagnostics()
        let result = layer(stack, spec: Spec(), tree: tree, diagnostics: &diagnostics)
        #expect(diagnostics.list == [])
        #expect(result?.environment["a"]?.map(\.value.masked) == ["built-in", "own"])
    }

    @Test func `plain compose files layer without a stack`() {
        var diagnostics = Diagnostics()
        let tree = tree(["/p/compose.yml": web, "/p/over.yml": "services: {web: {environment: {FIXED: second}}}"])
        let result = layer(composeFiles: ["/p/compose.yml", "/p/over.yml"], tree: tree, diagnostics: &diagnostics)
        #expect(result?.stackName == "p")
        #expect(result?.components.map(\.name) == ["p"])
        #expect(result?.environment["web"]?.first { $0.name == "FIXED" }?.value == "second")
    }

    @Test func `the faults of every layer are reported together`() throws {
        let layered = try layered(
            pods: ["p": "services: {a: {imag: x}}", "q": "services: {b: {image: b, ports: ['x']}}"],
            spec: "config: {S: $generate:rot13:4$}\n")
        #expect(layered.result == nil)
        #expect(layered.messages.contains { $0.contains("rot13") && $0.contains("$generate:alnum:<characters>$") })
        #expect(
            layered.messages.contains { $0.hasPrefix("/so/compose/docker-compose-p.yml:1:") && $0.contains("imag") })
        #expect(layered.messages.contains { $0.hasPrefix("/so/compose/docker-compose-q.yml:1:") })
    }
}

@Suite struct ConfinementTests {
    @Test(arguments: [
        ("env_file: [../../etc/secret.env]", false), ("env_file: [../config/p/a.env]", true),
        ("volumes: ['../../../home:/h']", false), ("volumes: ['/home:/h', '../data:/d', './new/dir:/n']", true),
    ])
    func `a relative path does not lead out of the stack`(keys: String, isInside: Bool) throws {
        let files = ["/so/config/p/a.env": "A=1\n", "/etc/secret.env": "A=1\n"]
        let layered = try layered(pods: ["p": "services: {a: {image: a, \(keys)}}"], files: files)
        #expect((layered.result != nil) == isInside, "\(layered.messages)")
        #expect(layered.messages.contains { $0.contains("points outside the stack") } == !isInside)
    }

    @Test func `a symbolic link does not lead out of the stack either`() async throws {
        try await withTemporaryDirectory { directory in
            let root = directory + "/root"
            try write("pods: [p]\n", to: root + "/stacks/s/stack.yml")
            try write("services: {a: {image: a, env_file: [a.env]}}\n", to: root + "/compose/docker-compose-p.yml")
            try write("A=1\n", to: directory + "/outside.env")
            try link(root + "/compose/a.env", to: "../../outside.env")
            let stack = try resolver(.disk, builtIn: nil).resolve(root + "/stacks/s")
            var diagnostics = Diagnostics()
            #expect(layer(stack, spec: Spec(), tree: .disk, diagnostics: &diagnostics) == nil)
            #expect(diagnostics.list.contains { $0.what.contains("points outside the stack") })
        }
    }

    @Test(arguments: [
        ("env_file: [/etc/secret.env]", "", false), ("env_file: [/etc/secret.env]", "allowed-paths: [/etc]\n", true),
        ("env_file: [/etc/secret.env]", "allowed-paths: [/etc/secret]\n", false),
        ("build: {context: /etc}", "", false),
    ])
    func `an absolute path does not ship the operator's files unless the spec allows it`(
        keys: String, spec: String, isAllowed: Bool
    ) throws {
        let files = ["/etc/secret.env": "A=1\n", "/etc/Dockerfile": "FROM scratch\n"]
        let layered = try layered(pods: ["p": "services: {a: {image: a, \(keys)}}"], spec: spec, files: files)
        #expect((layered.result != nil) == isAllowed, "\(layered.messages)")
        let isNamed = layered.messages.contains {
            $0.hasPrefix("/so/compose/docker-compose-p.yml:1:") && $0.contains("points outside the stack")
                && $0.contains("allowed-paths")
        }
        #expect(isNamed == !isAllowed, "\(layered.messages)")
    }

    @Test func `what the operator writes into the overrides is the operator's own`() throws {
        let layered = try layered(
            pods: ["p": "services: {a: {image: a}}"],
            spec: "overrides: {services: {a: {env_file: [/etc/secret.env]}}}\n", files: ["/etc/secret.env": "A=1\n"])
        #expect(layered.value("a", "A") == "1", "\(layered.messages)")
    }

    @Test(arguments: [
        ("../hooks:/h", false), ("../.state:/s", false), ("../spec.yml:/s:ro", false), ("../config/../hooks:/h", false),
        (".:/c", false), ("./docker-compose-p.yml:/c", false), ("../config/p:/c", true), ("../data:/d", true),
        ("./beside:/b", true),
    ])
    func `containers see the directories that are for them only`(mount: String, isAllowed: Bool) throws {
        let files = ["/so/hooks/start": "x", "/so/.state/x": "x", "/so/spec.yml": "x", "/so/config/p/a": "x"]
        let layered = try layered(pods: ["p": "services: {a: {image: a, volumes: ['\(mount)']}}"], files: files)
        #expect((layered.result != nil) == isAllowed, "\(layered.messages)")
    }

    @Test func `an absolute link in a mounted directory of a deployment does not lead to its hooks`() async throws {
        try await withTemporaryDirectory { directory in
            let root = directory + "/d"
            try write("pods: [p]\n", to: root + "/stack.yml")
            try write("x\n", to: root + "/hooks/start")
            try write("x\n", to: root + "/config/p/a")
            let compose = "services: {a: {image: a, volumes: ['../config/p/link:/h', '\(root)/hooks:/i']}}\n"
            try write(compose, to: root + "/compose/docker-compose-p.yml")
            try link(root + "/config/p/link", to: "../../hooks")
            let stack = try ResolvedStack.deployment(directory: root, name: "s", tree: .disk)
            var diagnostics = Diagnostics()
            #expect(layer(stack, spec: Spec(), tree: .disk, diagnostics: &diagnostics) == nil)
            let found = diagnostics.list.filter { $0.what.contains("is not one of the directories") }
            #expect(found.count == 2, "\(diagnostics.list)")
        }
    }

    @Test(arguments: [
        "env_file: ['../.state/generated-secrets.yml']", "env_file: [{path: ../.state/later, required: false}]",
        "label_file: ../config.env", "configs: [k]", "secrets: [s]", "configs: [link]",
    ])
    func `no compose file of a deployment reads what the deployment keeps for itself`(service: String) async throws {
        try await withTemporaryDirectory { directory in
            let root = directory + "/d"
            try write("pods: [p]\n", to: root + "/stack.yml")
            for file in [".state/generated-secrets.yml", "kubeconfig.yml", "config.env", "config/p/a"] {
                try write("TOKEN: x\n", to: "\(root)/\(file)")
            }
            try link(root + "/config/p/link", to: "../../.state/generated-secrets.yml")
            let compose = """
                services: {a: {image: a, \(service)}}
                configs: {k: {file: ../kubeconfig.yml}, link: {file: ../config/p/link}}
                secrets: {s: {file: ../config/../.state/generated-secrets.yml}}
                """
            try write(compose, to: root + "/compose/docker-compose-p.yml")
            let stack = try ResolvedStack.deployment(directory: root, name: "s", tree: .disk)
            var diagnostics = Diagnostics()
            #expect(layer(stack, spec: Spec(), tree: .disk, diagnostics: &diagnostics) == nil)
            #expect(
                diagnostics.list.contains { $0.what.contains("which is private to the deployment") },
                "\(diagnostics.list)")
        }
    }
}
