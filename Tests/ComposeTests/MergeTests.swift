import OrderedCollections
import Testing
import YAML

@testable import Compose

/// The cases of compose-go's override tests: two files of one service `test`, merged.
@Suite struct MergeTests {
    /// The canonical service `test` of two files, as JSON.
    private func merged(_ base: String, _ over: String) throws -> String {
        func document(_ lines: String) throws -> Node {
            let text = lines.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n")
            return try loadYAMLDocument(Array("services:\n  test:\n\(text)\n".utf8), file: "f")
        }
        let state = LoadState(tree: .memory(texts: [:]), options: LoadOptions())
        let loader = DocumentLoader(state: state, scopes: Scopes(root: VariableScope()))
        let context = FileContext(directory: "/p", scope: VariableScope(), scopeName: "")
        var model = Node(.mapping(Mapping()))
        for lines in [base, over] { model = loader.add(try document(lines), to: model, context: context) }
        #expect(state.diagnostics.list.isEmpty)
        return try #require(model.mapping?["services"]?.mapping?["test"]).json(pretty: false)
    }

    @Test(arguments: [
        ("annotations:\n - FOO=BAR", "annotations:\n - FOO=X\n - QIX=ZOT", #"{"annotations":{"FOO":"X","QIX":"ZOT"}}"#),
        (
            "annotations:\n  FOO: BAR", "annotations:\n - EMPTY=\n - QIX",
            #"{"annotations":{"FOO":"BAR","EMPTY":"","QIX":null}}"#
        ),
        ("annotations:\n  FOO: 1", "annotations:\n  FOO: 3", #"{"annotations":{"FOO":3}}"#),
        (
            "environment:\n - A=1\n - B=2", "environment:\n  A: null\n  C: 3",
            #"{"environment":{"A":null,"B":"2","C":3}}"#
        ),
        ("labels: [a=1]", "labels: {b: 2}", #"{"labels":{"a":"1","b":2}}"#),
        ("build: .", "build:\n  args: [A=1]", #"{"build":{"context":".","args":{"A":"1"}}}"#),
        ("build:\n  context: a\n  args: {A: 1}", "build: b", #"{"build":{"context":"b","args":{"A":1}}}"#),
        (
            "build:\n  labels: [a]\n  tags: [x, y]", "build:\n  tags: [y, z]",
            #"{"build":{"labels":{"a":null},"tags":["x","y","z"]}}"#
        ),
        ("cap_add: [A, B]", "cap_add: [B, C]", #"{"cap_add":["A","B","C"]}"#),
        ("dns: 1.1.1.1", "dns: [8.8.8.8, 1.1.1.1]", #"{"dns":["1.1.1.1","8.8.8.8"]}"#),
        (
            "devices: [\"/dev/a:/dev/x\"]", "devices: [\"/dev/b:/dev/x:r\"]",
            #"{"devices":[{"source":"/dev/b","target":"/dev/x","permissions":"r"}]}"#
        ),
        ("env_file: foo.env", "env_file: [bar.env, foo.env]", #"{"env_file":[{"path":"foo.env"},{"path":"bar.env"}]}"#),
        ("env_file: a", "env_file: [{path: a, required: false}]", #"{"env_file":[{"path":"a","required":false}]}"#),
        (
            "extra_hosts: [a=1.1.1.1]", "extra_hosts: {a: 1.1.1.1, b: [2.2.2.2, 3.3.3.3]}",
            #"{"extra_hosts":["a=1.1.1.1","b=2.2.2.2","b=3.3.3.3"]}"#
        ),
        ("links: [a, \"b:c\"]", "links: [a]", #"{"links":["a","b:c"]}"#),
        (
            "logging: {driver: syslog, options: {a: 1, b: 2}}", "logging: {driver: syslog, options: {b: 3}}",
            #"{"logging":{"driver":"syslog","options":{"a":1,"b":3}}}"#
        ),
        (
            "logging: {driver: syslog, options: {a: 1}}", "logging: {driver: local, options: {b: 3}}",
            #"{"logging":{"driver":"local","options":{"b":3}}}"#
        ),
        (
            "logging: {driver: syslog, options: {a: 1}}", "logging: {options: {b: 3}}",
            #"{"logging":{"driver":"syslog","options":{"a":1,"b":3}}}"#
        ),
        ("mem_limit: 1g", "mem_limit: 5", #"{"mem_limit":5}"#),
        ("mem_limit: 5", "mem_limit: 1g", #"{"mem_limit":"1g"}"#),
        ("models: [a, b]", "models: {b: {model_var: X}}", #"{"models":{"a":null,"b":{"model_var":"X"}}}"#),
        ("networks: [a, b]", "networks: {b: {aliases: [x, x]}}", #"{"networks":{"a":null,"b":{"aliases":["x"]}}}"#),
        (
            "networks: {a: {aliases: [x, y]}}", "networks: {a: {aliases: [z, x]}}",
            #"{"networks":{"a":{"aliases":["x","y","z"]}}}"#
        ),
        ("profiles: [a, b]", "profiles: [b, c]", #"{"profiles":["a","b","c"]}"#),
        ("sysctls: {a: 1}", "sysctls: [b=2]", #"{"sysctls":{"a":1,"b":"2"}}"#),
        ("tmpfs: /a", "tmpfs: [/b, \"/a:size=1k\"]", #"{"tmpfs":["/a:size=1k","/b"]}"#),
        (
            "ulimits: {nofile: {soft: 1, hard: 2}}", "ulimits: {nofile: 5, nproc: 6}",
            #"{"ulimits":{"nofile":5,"nproc":6}}"#
        ),
        ("command: echo a", "command: [echo, b]", #"{"command":["echo","b"]}"#),
        ("command: echo a", "command:", #"{"command":null}"#), ("image: a", "image:", #"{"image":"a"}"#),
        (
            "healthcheck: {test: a, retries: 3}", "healthcheck: {test: [CMD, b]}",
            #"{"healthcheck":{"test":["CMD","b"],"retries":3}}"#
        ),
        (
            "depends_on: [a]", "depends_on: {a: {condition: service_healthy}}",
            #"{"depends_on":{"a":{"condition":"service_healthy","required":true}}}"#
        ),
        (
            "depends_on: {a: {condition: service_healthy, required: false}}", "depends_on: [a]",
            #"{"depends_on":{"a":{"condition":"service_started","required":true}}}"#
        ),
        (
            "depends_on: {a: {condition: service_healthy}}", "depends_on: {a: {required: false}}",
            #"{"depends_on":{"a":{"condition":"service_healthy","required":false}}}"#
        ),
        ("security_opt: [a]", "security_opt: [a, b]", #"{"security_opt":["a","a","b"]}"#),
        (
            "secrets: [a]", "secrets: [{source: b, target: a}, {source: c, target: /run/secrets/d}]",
            #"{"secrets":[{"source":"b","target":"a"},{"source":"c","target":"/run/secrets/d"}]}"#
        ),
        ("configs: [a]", "configs: [{source: b, target: /a}]", #"{"configs":[{"source":"b","target":"/a"}]}"#),
        ("expose: [80, \"81\"]", "expose: [\"80\"]", #"{"expose":["80","81"]}"#),
        ("group_add: [a]", "group_add: [b]", #"{"group_add":["a","b"]}"#),
        (
            "deploy: {labels: [a=1]}", "deploy: {replicas: 2, labels: {a: 2}}",
            #"{"deploy":{"labels":{"a":2},"replicas":2}}"#
        ),
    ])
    func `two definitions of a service merge`(base: String, over: String, expected: String) throws {
        #expect(try merged(base, over) == expected)
    }

    @Test func `mounts of one target replace each other and keep the first one's place`() throws {
        let project = try load(
            "services: {web: {image: a, volumes: [\"v:/a\", \"./src:/src/\", \"w:/b\"]}}\nvolumes: {v: , w: , x: }",
            override: "services: {web: {volumes: [\"x:/a:ro\", \"./src:/src\"]}}"
        ).sound()
        let mounts = try #require(project.services["web"]?.volumes)
        #expect(mounts.map(\.target) == ["/a", "/src", "/b"])
        #expect(mounts.map(\.source) == ["x", "/p/src", "w"])
        #expect(mounts.map(\.isReadOnly) == [true, false, false])
    }

    @Test func `ports are the same if address, published port, target and protocol are`() throws {
        let project = try load(
            "services: {web: {image: a, ports: [\"80:80\", \"0.0.0.0:80:80\", \"80:80/udp\", 8000-8001]}}",
            override: """
                services:
                  web:
                    ports: ["8001", "81:80", {target: 80, published: 80, name: http}, "127.0.0.1:80:80"]
                """
        ).sound()
        let ports = try #require(project.services["web"]?.ports)
        #expect(ports.map(\.target) == [80, 80, 8000, 8001, 80, 80])
        #expect(ports.map { $0.published?.lowerBound } == [80, 80, nil, nil, 81, 80])
        #expect(ports[0].name == "http")
        #expect(ports[1].transport == .udp)
        #expect(ports[5].hostIP == "127.0.0.1")
    }

    @Test func `pools of one subnet merge and others are added`() throws {
        let project = try load(
            "services: {}\nnetworks: {n: {ipam: {config: [{subnet: 10.0.0.0/8, aux_addresses: {a: 1, b: 2}}]}}}",
            override: """
                networks:
                  n:
                    ipam:
                      config: [{subnet: 10.0.0.0/8, gateway: g, aux_addresses: {b: 3}}, {subnet: 11.0.0.0/8}]
                """
        ).sound()
        let pools = try #require(project.networks["n"]?.ipam?.pools)
        #expect(pools.map(\.subnet) == ["10.0.0.0/8", "11.0.0.0/8"])
        #expect(pools[0].gateway == "g")
        #expect(pools[0].auxAddresses == ["a": "1", "b": "3"])
    }

    @Test func `reset drops and override replaces what was loaded before`() throws {
        let base = """
            services:
              foo:
                image: a
                build: {context: ., dockerfile: foo.Dockerfile}
                environment: [FOO=BAR, KEEP=1]
                ports: ["8080:80"]
                volumes: ["./a:/a"]
            networks:
              one: {name: one, external: true}
              two: {name: two, external: true}
            """
        let over = """
            services:
              foo:
                build: !reset
                environment: {FOO: !reset }
                ports: !override ["9090:90"]
                volumes: !reset []
            networks:
              one: !reset {}
              two: !override {}
            """
        let project = try load(base, override: over).sound()
        let foo = try #require(project.services["foo"])
        #expect(foo.build == nil)
        #expect(foo.plainEnvironment == ["KEEP": "1"])
        #expect(foo.ports.map(\.target) == [90])
        #expect(foo.volumes.isEmpty)
        #expect(project.networks["one"] == nil)
        #expect(project.networks["two"]?.isExternal == false)
    }

    @Test func `tags that come by anchors and merge keys count where they arrive`() throws {
        let over = """
            x-reset: &reset
              ports: !reset []
            x-direct: &direct !reset []
            services:
              one: {<<: *reset}
              two: {ports: *direct}
            """
        let base = "services: {one: {image: a, ports: [\"80\"]}, two: {image: a, ports: [\"80\"]}}"
        let project = try load(base, override: over).sound()
        #expect(project.services.values.allSatisfy { $0.ports.isEmpty })
    }

    @Test func `values of different kinds cannot merge and both places are named`() {
        let loaded = load(
            "services: {web: {image: a, deploy: {replicas: 1}}}", override: "services: {web: {deploy: [1]}}")
        #expect(loaded.errors.count == 1)
        #expect(
            loaded.errors[0].hasPrefix(
                "/p/override.yaml:1:26: error: `services.web.deploy` is a list here and a mapping at /p/compose.yaml:1:"
            ))
    }

    @Test func `documents of one file and fragments merge in order`() throws {
        let fragment = try loadYAMLDocument(
            Array("services: {web: {image: c, environment: {X: '${V}'}}}".utf8), file: "spec.yml")
        let loaded = load(
            "services: {web: {image: a, command: x}}\n---\nservices: {web: {image: b}}", variables: ["V": "v"]
        ) {
            $0.overrides = [fragment]
        }
        let web = try loaded.service()
        #expect(web.image == "c")
        #expect(web.command == ["x"])
        #expect(web.environment["X"]?.layer == .override)
        #expect(web.environment["X"]?.text == "v")
        #expect(web.environment["X"]?.uses.map(\.name) == ["V"])
    }
}
