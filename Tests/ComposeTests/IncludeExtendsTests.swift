import OrderedCollections
import Testing
import YAML

@testable import Compose

/// The cases of compose-go's include and extends tests.
@Suite struct IncludeExtendsTests {
    @Test func `an include has its own directory and env file and the outer variables win`() throws {
        let module = """
            services:
              b:
                image: img:${TAG}
                build: .
                environment: [VAR, OTHER]
                volumes: ["./data:/data"]
                env_file: b.env
            configs: {c: {environment: VAR}}
            """
        let files = [
            "/p/module/compose.yml": module, "/p/custom.env": "VAR=value\nTAG=1\nOTHER=inner",
            "/p/module/b.env": "FROM_FILE=${VAR}",
        ]
        let main = """
            include:
              - path: [./module/compose.yml]
                env_file: [./custom.env]
            services:
              a: {image: alpine, environment: [VAR]}
            """
        let project = try load(main, files: files, variables: ["OTHER": "outer"]).sound()
        let a = try #require(project.services["a"])
        let b = try #require(project.services["b"])
        #expect(a.environment["VAR"] == nil)
        #expect(b.plainEnvironment == ["VAR": "value", "OTHER": "outer", "FROM_FILE": "value"])
        #expect(b.environment["VAR"]?.layer == .dotEnv)
        #expect(b.image == "img:1")
        #expect(a.directory == "/p")
        #expect(b.directory == "/p/module")
        #expect(b.build?.context == "/p/module")
        #expect(b.volumes.first?.source == "/p/module/data")
        #expect(b.volumes.first?.writtenSource == "./data")
        #expect(b.envFiles.map(\.path) == ["/p/module/b.env"])
        guard case .environment(_, let value?)? = project.configs["c"]?.source else { Issue.record("no value"); return }
        #expect(value.value == "value")
    }

    @Test func `an include reads the env file of its directory by itself`() throws {
        let files = ["/p/m/c.yml": "services: {b: {image: \"${X}\"}}", "/p/m/.env": "X=in"]
        #expect(try load("include: [m/c.yml]", files: files).service("b").image == "in")
        let none = load("include: [{path: m/c.yml, env_file: /dev/null}]", files: files)
        #expect(none.warnings.contains { $0.contains("X is not set") })
    }

    @Test func `project_directory decides what the included file's paths mean`() throws {
        let files = [
            "/p/dir/in.yml": "services: {i: {extends: {file: dir/base.yml, service: e}, env_file: e.env}}",
            "/p/dir/base.yml": "services: {e: {image: alpine, volumes: [\"./x:/x\"]}}", "/p/e.env": "",
        ]
        let service = try load("include: [{project_directory: ., path: dir/in.yml}]", files: files).service("i")
        #expect(service.image == "alpine")
        #expect(service.volumes[0].source == "/p/dir/x")
        #expect(service.envFiles[0].path == "/p/e.env")
    }

    @Test func `what the including file defines is merged over what it includes`() throws {
        let files = [
            "/p/a.yml": "services: {s: {image: a, environment: {A: 1, B: 1}}}",
            "/p/b.yml": "services: {s: {image: b, environment: {B: 2, C: 2}}, t: {image: t}}",
        ]
        let main = "include: [a.yml, b.yml]\nservices: {s: {environment: {A: 3}}, t: {environment: !override [Z=1]}}"
        let loaded = load(main, files: files)
        #expect(loaded.errors == [])
        #expect(try loaded.service("s").image == "a")
        #expect(try loaded.service("s").plainEnvironment == ["A": "3", "B": "1", "C": "2"])
        #expect(loaded.warnings.contains { $0.contains("`services.s` comes from two includes") })
    }

    @Test func `a later file overrides what an earlier one includes`() throws {
        let loaded = load(
            "include: [a.yml]", override: "services: {s: {image: over}}",
            files: ["/p/a.yml": "services: {s: {image: a}}"])
        #expect(try loaded.service("s").image == "over")
    }

    @Test func `files that include each other are refused`() {
        let files = ["/p/a.yml": "include: [compose.yaml]\nservices: {a: {image: a}}"]
        #expect(
            load("include: [a.yml]", files: files).errors.contains {
                $0.hasPrefix(
                    "/p/a.yml:1:11: error: the files include each other: /p/compose.yaml includes /p/a.yml includes /p/compose.yaml"
                )
            })
    }

    @Test func `a wrong include says where`() {
        #expect(
            load("include: [nope.yml]").errors == [
                "/p/compose.yaml:1:11: error: /p/nope.yml does not exist\nhint: create it, or correct the path"
            ])
        #expect(load("include: x\nservices: {}").errors.count == 1)
        #expect(load("include: [{pth: x}]\nservices: {}").errors.contains { $0.contains("did you mean `path`?") })
        #expect(
            load("include: ['https://github.com/a/b.git']\nservices: {}").errors.contains {
                $0.contains("are not fetched")
            })
        #expect(
            load("include: [{path: a.yml, env_file: no.env}]", files: ["/p/a.yml": "services: {a: {image: a}}"]).errors
                .count == 1)
    }

    @Test func `a service extends another of the same file`() throws {
        let project = try load(
            """
            services:
              foo: {image: busybox, extends: bar, environment: [B=2]}
              bar: {image: alpine, command: echo, environment: {A: 1, B: 1}, ports: ["80"]}
              baz: {extends: {service: foo}, ports: !reset []}
            """
        ).sound()
        let foo = try #require(project.services["foo"])
        #expect(foo.image == "busybox")
        #expect(foo.command == ["echo"])
        #expect(foo.plainEnvironment == ["A": "1", "B": "2"])
        #expect(project.services["baz"]?.image == "busybox")
        #expect(project.services["baz"]?.ports.isEmpty == true)
    }

    @Test func `an extended file's paths are its own and its volumes do not come along`() throws {
        let files = [
            "/p/a/compose.yaml":
                "services: {a: {build: ., env_file: x.env, volumes: [\"./d:/d\", \"v:/v\"]}}\nvolumes: {v: }",
            "/p/b/compose.yaml": "services: {b: {build: {target: fake}}}", "/p/a/x.env": "X=1",
        ]
        let main = """
            services:
              a: {extends: {file: ./a/compose.yaml, service: a}}
              b: {extends: {file: ./b/compose.yaml, service: b}}
            """
        let loaded = load(main, files: files)
        #expect(loaded.errors.count == 1)
        #expect(
            loaded.errors[0].hasPrefix(
                "/p/a/compose.yaml:1:63: error: the service a refers to the volume v, which is not defined"))
        let project = try load(main + "\nvolumes: {v: }", files: files).sound()
        #expect(project.services["a"]?.build?.context == "/p/a")
        #expect(project.services["a"]?.volumes[0].source == "/p/a/d")
        #expect(project.services["a"]?.plainEnvironment == ["X": "1"])
        #expect(project.services["b"]?.build?.context == "/p")
    }

    @Test func `override in the middle of a chain cuts off what lies below`() throws {
        let files = [
            "/p/base.yaml": "services: {base: {volumes: [\"/foo:/foo\"], networks: [foo]}}",
            "/p/mid.yaml": """
            services:
              mid:
                extends: {file: ./base.yaml, service: base}
                volumes: !override ["/bar:/bar"]
                networks: !override [bar]
            """,
        ]
        let main = """
            services:
              test:
                image: test
                extends: {file: ./mid.yaml, service: mid}
                volumes: ["/zot:/zot"]
                networks: !override [zot]
            networks: {zot: }
            """
        let test = try load(main, files: files).service("test")
        #expect(test.volumes.map(\.target) == ["/bar", "/zot"])
        #expect(Array(test.networks.keys) == ["zot"])
    }

    @Test func `override of depends_on in an extending service holds for those that extend it`() throws {
        let project = try load(
            """
            services:
              base: {image: nginx}
              one: {image: nginx}
              two: {extends: {service: one}}
              main_one: {image: nginx, depends_on: [one]}
              main_two: {extends: main_one, depends_on: !override [two]}
              main: {extends: {service: main_two}, depends_on: [base]}
            """
        ).sound()
        #expect(project.services["main"].map { Array($0.dependsOn.keys) } == ["two", "base"])
    }

    @Test func `services that extend each other are refused, in one file and across files`() {
        #expect(
            load("services: {a: {image: a, extends: b}, b: {image: b, extends: a}}").errors.contains {
                $0.contains(
                    "the services extend each other: a in /p/compose.yaml extends b in /p/compose.yaml extends a in /p/compose.yaml"
                )
            })
        let files = ["/p/o.yml": "services: {b: {image: b, extends: {file: compose.yaml, service: a}}}"]
        #expect(load("services: {a: {image: a, extends: {file: o.yml, service: b}}}", files: files).errors.count == 1)
        #expect(load("services: {a: {image: a, extends: a}}").errors.count == 1)
    }

    @Test func `an extended service that is not there is named with the nearest one`() {
        let loaded = load("services: {web: {image: a, extends: bse}, base: {image: b}}")
        #expect(
            loaded.errors == [
                "/p/compose.yaml:1:37: error: the service web extends bse, which /p/compose.yaml does not have\nhint: did you mean base?"
            ])
        #expect(load("services: {web: {image: a, extends: {file: no.yml, service: x}}}").errors.count == 1)
        #expect(load("services: {web: {image: a, extends: {file: x.yml}}}", files: ["/p/x.yml": ""]).errors.count == 1)
    }

    @Test func `many services may extend one of another file`() throws {
        let many = (0..<500).map { "  s\($0): {extends: {file: base.yml, service: b}}" }.joined(separator: "\n")
        let project = try load("services:\n\(many)", files: ["/p/base.yml": "services: {b: {image: b}}"]).sound()
        #expect(project.services.values.allSatisfy { $0.image == "b" })
    }

    @Test func `includes nest so deep and no deeper`() {
        func nested(_ depth: Int) -> Loaded {
            var files = ["/p/\(depth).yml": "services: {s: {image: i}}"]
            for level in 1..<depth { files["/p/\(level).yml"] = "include: [\(level + 1).yml]" }
            return load("include: [1.yml]", files: files)
        }
        #expect(nested(100).errors == [])
        #expect(nested(1_500).errors.contains { $0.contains("includes nest more than 100 deep") })
    }

    @Test func `variables that double each other and services that multiply each other end`() {
        let doubled = (1...40).map { "A\($0)=${A\($0 - 1)}${A\($0 - 1)}" }.joined(separator: "\n")
        let bomb = load(
            "include: [m/c.yml]", files: ["/p/m/c.yml": "services: {}", "/p/m/.env": "A0=0123456789\n\(doubled)"])
        #expect(bomb.errors.contains { $0.contains("come to more than 64 MiB") }, "\(bomb.errors)")
        let large = (1...2_000).map { "A\($0): x" }.joined(separator: ", ")
        let many = (1...1_000).map { "  s\($0): {extends: base}\n" }.joined()
        let fan = load("services:\n  base: {image: i, environment: {\(large)}}\n\(many)")
        #expect(fan.errors.contains { $0.contains("hold more than 1000000 values") }, "\(fan.errors.prefix(2))")
    }
}
