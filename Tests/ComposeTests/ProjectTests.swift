import OrderedCollections
import Testing
import YAML

@testable import Compose

/// The cases of compose-go's loader and cli tests about a project as a whole.
@Suite struct ProjectTests {
    @Test func `the project's name: option, variable, file, directory`() throws {
        let files = ["/p/.env": "COMPOSE_PROJECT_NAME=from-env"]
        #expect(try load("services: {}").sound().name == "p")
        #expect(try load("name: A B_c\nservices: {}").sound().name == "ab_c")
        #expect(try load("name: a\n---\nname: ${N:-b}\nservices: {}").sound().name == "b")
        #expect(try load("name: file", files: files).sound().name == "from-env")
        #expect(try load("name: file", files: files) { $0.projectName = "option" }.sound().name == "option")
        #expect(load("services: {}") { $0.projectName = "Wrong" }.errors.count == 1)
        #expect(load("name: 123").errors.count == 1)
        #expect(load("services: {}") { $0.projectDirectory = "/" }.errors.count == 1)
        let text = "name: interpolated\nservices: {web: {image: a, container_name: '${COMPOSE_PROJECT_NAME}-web'}}"
        #expect(try load(text).service().containerName == "interpolated-web")
        #expect(try load(text, override: "name: over").service().containerName == "over-web")
    }

    @Test func `dot env gives variables below the scope's`() throws {
        let files = ["/p/.env": "A=1\nB=${A}2\nC=${OUT}"]
        let loaded = load(
            "services: {web: {image: '${A}-${B}-${C}'}}", files: files, variables: ["OUT": "o", "A": "9"])
        #expect(try loaded.service().image == "9-92-o")
        #expect(loaded.project?.dotEnv["B"]?.value == "92")
    }

    @Test func `PWD is the project's directory`() throws {
        #expect(try load("services: {web: {image: \"i:${PWD}\"}}").service().image == "i:/p")
        let own = load("services: {web: {image: \"i:${PWD}\"}}", variables: ["PWD": "own"])
        #expect(try own.service().image == "i:own")
    }

    @Test func `an unset variable is one warning with its first place`() throws {
        let loaded = load("services: {web: {image: 'a${X}', command: '${X} ${Y}'}}")
        #expect(loaded.warnings.count == 2)
        #expect(
            loaded.warnings[0]
                == "/p/compose.yaml:1:25: warning: the variable X is not set; it is taken as empty\nhint: set X in .env or the spec's config, or write ${X:-default}"
        )
        #expect(try loaded.service().image == "a")
    }

    @Test(arguments: [".env.example", ".env-sample", "env.template", "example.env"])
    func `a file that is not there is copied from its sample`(_ sample: String) {
        let files = ["/p/\(sample)": "X=", "/p/a.env.dist": ""]
        let loaded = load("services: {web: {image: '$X', env_file: [a.env, b.env]}}", files: files)
        #expect(loaded.warnings[0].contains("hint: set X in .env (a copy of \(sample)) or the spec's config"))
        let hints = loaded.errors.compactMap { $0.split(separator: "hint: ").last }
        #expect(hints.contains { $0.hasSuffix("copy a.env.dist to a.env and fill it in, or correct the path") })
        #expect(hints.contains { $0.hasSuffix("create it, or correct the path") })
        let filled = load("services: {web: {image: '$X'}}", files: files.merging(["/p/.env": ""]) { $1 })
        #expect(filled.warnings[0].contains("hint: set X in .env or the spec's config"))
    }

    @Test func `an error names the variables that nothing sets where it stands`() {
        let loaded = load(
            """
            services:
              web:
                image: "${I}"
                container_name: ${N}-web
                ports:
                  - "${P}:${Q}/tcp"
                  - "${P}80:x"
                volumes: [":/data"]
            """, variables: ["Q": ""])
        #expect(
            loaded.diagnostics.filter { $0.severity == .error }.map { "\($0.mark?.line ?? 0) \($0.hint ?? "")" } == [
                "6 set P, which is taken as empty here; else write [[IP:]HOST:]CONTAINER[/tcp|udp|sctp], such as \"8080:80\"",
                "7 set P, which is taken as empty here; else write [[IP:]HOST:]CONTAINER[/tcp|udp|sctp], such as \"8080:80\"",
                "8 write SOURCE:TARGET[:ro], or the long form",
                "4 set N, which is taken as empty here; else use two or more letters, digits, _ . or -",
                "3 set I, which is taken as empty here; else write which image it runs",
            ])
    }

    @Test(arguments: ["\"\"", "\"${UNSET}\""])
    func `an empty image is refused where nothing is built, whatever the variable`(_ image: String) throws {
        let refused = load("services: {web: {image: \(image)}}")
        #expect(refused.errors.count == 1)
        #expect(refused.errors.allSatisfy { $0.contains("1:18: error: the `image` of the service web is empty") })
        #expect(try load("services: {web: {image: \(image), build: .}}").service().image == nil)
    }

    @Test func `an image that only the operator's inputs name is no error before they are asked for`() throws {
        let text = "services: {web: {image: '${IMAGE:?name the image}'}}"
        #expect(load(text).errors.map { $0.contains("the required variable IMAGE has no value") } == [true])
        let loaded = load(text) { $0.requiresInputs = false }
        #expect(loaded.errors == [])
        #expect(try loaded.service().image == "")
        #expect(load("services: {web: {image: ''}}") { $0.requiresInputs = false }.errors.count == 1)
    }

    @Test func `interpolation takes values only, never keys, and dollars are unescaped once, through include too`()
        throws
    {
        let files = ["/p/i.yml": "services: {i: {image: a, command: [echo, $$X, $$$$Y], labels: {$$k: $$v}}}"]
        let i = try load("include: [i.yml]", files: files, variables: ["X": "no"]).service("i")
        #expect(i.command == ["echo", "$X", "$$Y"])
        #expect(i.labels == ["$$k": "$v"])
    }

    @Test func `wrong interpolation is an error with its place, and others go on`() {
        let loaded = load("services: {web: {image: '${', hostname: '${A:?need A}'}}")
        #expect(
            loaded.errors.contains(
                "/p/compose.yaml:1:25: error: invalid interpolation `${`\nhint: write $$ for a dollar sign, or ${NAME} for a variable"
            ))
        #expect(loaded.errors.contains { $0.contains("1:41: error: the required variable A has no value: need A") })
    }

    @Test func `interpolated values are cast to the type of their key`() throws {
        let variables = ["i": "555", "f": "3.14", "b": "true", "d": "60s", "s": "2gb"]
        let project = try load(
            """
            services:
              web:
                image: a
                configs: [{source: c, mode: "$i"}]
                healthcheck: {retries: "${i}", disable: $b}
                deploy: {replicas: $i, update_config: {parallelism: $i, max_failure_ratio: $f}, placement: {max_replicas_per_node: $i}}
                ports: [$i, "34567", {target: $i, published: "$i"}]
                ulimits: {nproc: $i, nofile: {hard: $i, soft: $i}}
                privileged: $b
                shm_size: ${s}
                stop_grace_period: ${d}
                volumes: [{type: volume, source: v, target: /d, read_only: $b, volume: {nocopy: $b}}]
            configs: {c: {external: $b}}
            volumes: {v: {external: $b}}
            networks: {n: {external: $b, internal: $b}}
            """, variables: variables
        ).sound()
        let web = try #require(project.services["web"])
        #expect(web.configs[0].mode == 0o555)
        #expect(web.healthcheck?.retries == 555)
        #expect(web.healthcheck?.isDisabled == true)
        #expect(web.deploy?.updateConfig?.maxFailureRatio == 3.14)
        #expect(web.ports.map(\.target) == [555, 34567, 555])
        #expect(web.ulimits["nofile"]?.hard == 555)
        #expect(web.privileged == true)
        #expect(web.shmSize == 2 << 30)
        #expect(web.stopGracePeriod == .seconds(60))
        #expect(web.volumes[0].volume?.nocopy == true)
        #expect(project.networks["n"]?.isExternal == true)
    }

    @Test func `profiles decide which services are active`() throws {
        let text = """
            services:
              a: {image: a}
              b: {image: b, profiles: [x]}
              c: {image: c, profiles: [x, y], depends_on: [a]}
            """
        func active(_ change: (inout LoadOptions) -> Void, _ files: [String: String] = [:]) throws -> [String] {
            try load(text, files: files, change).sound().services.keys.sorted()
        }
        #expect(try active { _ in } == ["a"])
        #expect(try active { $0.profiles = ["x"] } == ["a", "b", "c"])
        #expect(try active { $0.profiles = ["*"] } == ["a", "b", "c"])
        #expect(try active({ _ in }, ["/p/.env": "COMPOSE_PROFILES=y, z"]) == ["a", "c"])
        #expect(try active { $0.services = ["c"] } == ["a", "c"])
        #expect(try load(text).sound().disabledServices.keys.sorted() == ["b", "c"])
        #expect(load(text) { $0.services = ["d"] }.errors.count == 1)
    }

    @Test func `a dependency on a disabled service is an error, or a warning if it is not required`() throws {
        func loaded(_ dependency: String) -> Loaded {
            load("services: {a: {image: a, depends_on: \(dependency)}, b: {image: b, profiles: [x]}}")
        }
        #expect(loaded("[b]").errors.count == 1)
        #expect(loaded("[b]").errors[0].contains("the service a depends on b, which only the profile x enables"))
        let soft = loaded("{b: {condition: service_started, required: false}}")
        #expect(try soft.service("a").dependsOn.isEmpty)
        #expect(soft.warnings.count == 1)
        #expect(loaded("{c: {condition: service_started, required: false}}").errors.count == 1)
    }

    @Test func `services left out do not read their files`() throws {
        let text = "services: {web: {image: a}, other: {image: b, env_file: no.env}}"
        #expect(load(text).errors.count == 1)
        #expect(try load(text) { $0.services = ["web"] }.sound().services.keys == ["web"])
    }

    @Test func `services that depend on each other are refused, long chains are not`() throws {
        let loaded = load(
            "services: {a: {image: a, depends_on: [b]}, b: {image: b, depends_on: [c]}, c: {image: c, links: [a]}}")
        #expect(loaded.errors.count == 1)
        #expect(loaded.errors[0].contains("the services depend on each other: a → b → c → a"))
        #expect(load("services: {a: {image: a, depends_on: [a]}}").errors.count == 1)
        let chain = (0..<2000).map { "  s\($0): {image: a, depends_on: [s\($0 + 1)]}" }.joined(separator: "\n")
        #expect(try load("services:\n\(chain)\n  s2000: {image: a}").sound().services.count == 2001)
    }

    @Test func `configs and secrets by file, variable, content and name`() throws {
        let project = try load(
            """
            name: p
            services: {}
            configs:
              f: {file: ./f.conf}
              e: {environment: E}
              c: {content: "a=${E}"}
              x: {external: true}
              o: {external: {name: old}}
            secrets:
              s: {file: ./s, labels: [a=b]}
              v: {environment: V, name: named}
              d: {driver: vault}
            """, variables: ["E": "e"]
        ).sound()
        #expect(project.configs["f"]?.source == .file("/p/f.conf"))
        #expect(project.configs["c"]?.source == .content("a=e"))
        #expect(project.configs["x"]?.source == .external)
        #expect(project.configs["x"]?.name == "x")
        #expect(project.configs["o"]?.name == "old")
        #expect(project.configs["f"]?.name == "p_f")
        guard case .environment("E", let value?)? = project.configs["e"]?.source else {
            Issue.record("no value"); return
        }
        #expect(value.value == "e")
        #expect(project.secrets["v"]?.source == .environment(name: "V", value: nil))
        #expect(project.secrets["v"]?.name == "named")
        #expect(project.secrets["d"]?.source == .driver("vault"))
        #expect(load("services: {}\nsecrets: {s: {}}").errors.count == 1)
        #expect(load("services: {}\nsecrets: {s: {file: a, environment: b}}").errors.count == 1)
        #expect(load("services: {}\nsecrets: {s: {content: a}}").errors.count >= 1)
        #expect(load("services: {}\nvolumes: {v: {external: true, driver: a, labels: [b]}}").errors.count == 2)
        #expect(load("services: {}\nvolumes: {v: {name: a, external: {name: b}}}").errors.count == 1)
    }

    @Test(arguments: [
        "1", "hello", "[a]", "", "services: [a]", "services: {a: text}", "networks: [a]", "networks: {a: b}",
        "volumes: {a: b}", "services: {'a b': {image: a}}",
        "foo: {image: a}", "services: {a: {}}", "services: {a: {image: a, image: b}}", "services:\n\tb: 1",
        "services: {a: {image: a, <<: x}}",
    ])
    func `what is not a compose file is refused`(text: String) {
        let errors = load(text).errors
        #expect(!errors.isEmpty)
        #expect(errors.allSatisfy { $0.hasPrefix("/p/compose.yaml") })
    }

    @Test func `null sections are empty and x- names are free where names are`() throws {
        let project = try load(
            "services: {x-a: {image: a, environment: , ports: , labels: , networks: , build: , depends_on: }}\nvolumes:\nnetworks:\nx-b:"
        ).sound()
        #expect(project.services.keys == ["x-a"])
        #expect(project.extensions.keys == ["x-b"])
        #expect(load("services: {}\nversion: '3'").warnings.contains { $0.contains("`version` is obsolete") })
    }

    @Test func `a secret flows to where it may stand and is refused elsewhere`() throws {
        let text = """
            services:
              web:
                image: a
                environment: {URL: "pg://u:${PW}@db", PLAIN: "${PW:+set}", DEF: "${PW:-x}"}
                command: run --password ${PW}
                healthcheck: {test: "check ${PW}"}
            configs: {c: {content: "k=${PW}"}}
            """
        let project = try load(text, secrets: ["PW"]).sound()
        let web = try #require(project.services["web"])
        #expect(web.environment["URL"]?.text.pieces == [.text("pg://u:"), .secret("PW"), .text("@db")])
        #expect(web.environment["PLAIN"]?.text == "set")
        #expect(web.environment["DEF"]?.text == .secret("PW"))
        #expect(web.command == ["run", "--password", .secret("PW")])
        #expect(web.healthcheck?.test == .shell(TemplateText(pieces: [.text("check "), .secret("PW")])))
        for line in [
            "image: 'x${PW}'", "ports: ['${PW}:80']", "privileged: ${PW}", "labels: {a: '${PW}'}",
            "labels: ['${PW}=a']",
            "volumes: ['${PW}:/a']", "scale: ${PW}", "networks: ['${PW}']", "expose: ['${PW}']", "build: '${PW}'",
        ] {
            let errors = load(
                "services: {web: {image: a, \(line)}}".replacing("image: a, image", with: "image"), secrets: ["PW"]
            ).errors
            #expect(!errors.isEmpty, "\(line)")
            #expect(!errors.joined().contains("\u{10FF50}"), "\(line): \(errors)")
        }
        #expect(
            load("services: {web: {image: a, ports: ['${PW}:80']}}", secrets: ["PW"]).errors[0].contains(
                "the secret PW cannot be used for `services.web.ports`"))
        #expect(load("services: {web: {image: \"\u{10FF50}PW\u{10FF51}\"}}").errors.count == 1)
    }

    @Test func `what flowed into each value is told`() throws {
        let project = try load("services: {web: {image: a, environment: {A: '${X}-${Y:-y}'}}}", variables: ["X": "x"])
            .sound()
        let value = try #require(project.services["web"]?.environment["A"])
        #expect(value.text == "x-y")
        #expect(value.layer == .composeDefault)
        #expect(value.uses.map(\.name) == ["X", "Y"])
        #expect(value.uses[0].variable?.layer == .spec)
        #expect(value.uses[1].usedDefault == "y")
        #expect(project.interpolations[value.mark] == value.uses)
        #expect(project.referencedVariables.keys == ["X", "Y"])
    }

    @Test func `the paths that a project names are told with their roles`() throws {
        let project = try load(
            """
            services:
              web: {build: {context: ./app, dockerfile: D}, env_file: e.env, volumes: ["./src:/src"], label_file: l}
            configs: {c: {file: c.conf}}
            volumes: {v: {driver: local, driver_opts: {o: bind, device: ./data}}}
            """, files: ["/p/e.env": "", "/p/l": ""]
        ).sound()
        let paths = project.referencedPaths.map { "\($0.role.rawValue) \($0.path) \($0.written)" }
        #expect(
            Set(paths) == [
                "build context /p/app ./app", "dockerfile /p/app/D D", "env_file /p/e.env e.env",
                "bind mount /p/src ./src", "label_file /p/l /p/l",
                "config /p/c.conf c.conf", "volume device /p/data ./data",
            ])
    }

    @Test func `compose files of a directory are discovered with their override`() {
        func found(_ names: [String]) -> [String] {
            let texts = Dictionary(uniqueKeysWithValues: names.map { ("/d/\($0)", "") })
            return discoverComposeFiles("/d", tree: .memory(texts: texts)).map { String($0.dropFirst(3)) }
        }
        #expect(found(["compose.yml", "docker-compose.yml", "compose.yaml"]) == ["compose.yaml"])
        #expect(
            found(["docker-compose.yml", "docker-compose.override.yml"]) == [
                "docker-compose.yml", "docker-compose.override.yml",
            ])
        #expect(found(["docker-compose.yaml"]) == ["docker-compose.yaml"])
        #expect(found(["compose.override.yml"]).isEmpty)
        #expect(found([]).isEmpty)
    }

    @Test func `a missing file is an error and no project`() {
        var diagnostics = Diagnostics()
        let project = loadProject(files: ["/no.yml"], tree: .memory(texts: [:]), diagnostics: &diagnostics)
        #expect(project == nil)
        #expect(
            diagnostics.list.map(\.description) == [
                "/no.yml: error: /no.yml does not exist\nhint: create it, or correct the path"
            ])
    }

    @Test func `a NUL character is refused, wherever a value comes from`() {
        let written = load("services: {a: {image: i, environment: {A: \"x\\0y\"}}}")
        #expect(written.errors.contains { $0.contains("holds a NUL character") }, "\(written.errors)")
        let fromFile = load("services: {a: {image: i, env_file: a.env}}", files: ["/p/a.env": "A=x\0y"])
        #expect(fromFile.errors.contains { $0.contains("holds a NUL character") }, "\(fromFile.errors)")
    }
}
