import FoundationEssentials
import TestSupport
import Testing
import YAML

@testable import Compose

/// Hostile inputs neither crash nor hang, and leave no placeholder in what is said of them. SO_FUZZ_ITERATIONS says how many.
@Suite struct FuzzTests {
    private static let iterations =
        ProcessInfo.processInfo.environment["SO_FUZZ_ITERATIONS"].flatMap { Int($0) } ?? 300

    private static let tokens = [
        "${", "}", "$", "$$", ":-", ":?", "${A:-", "${S}", "&a ", "*a", "<<: ", "!reset ", "!override ", "- ", ": ",
        "{", "[", "]", "\"", "'", "\n",
        "  ", "#", "extends: ", "include: [/p/compose.yaml]", "services:", "null", "~", "1-65535", "/udp", "::", "\\",
        "=", "\u{10FF50}", "x-a: ",
        "depends_on: [web]", "99999999999999999999", "-1", "1e999", "\t", "\u{FEFF}", "%", "file: /p/other.yaml",
        "service: web",
    ]

    private static let compose = """
        name: p
        include: [{path: /p/other.yaml, env_file: /p/e.env}]
        x-a: &a {restart: always}
        services:
          web: &w
            <<: *a
            image: img:${TAG:-1}
            extends: {file: /p/other.yaml, service: base}
            ports: ["80-90:8080-8090/udp", {target: 1, published: "2-3"}]
            volumes: [v:/v:ro, ./a:/b, {type: tmpfs, target: /t, tmpfs: {size: 1m}}]
            environment: {A: "${S}", B: , C: "${X:?no}"}
            env_file: [e.env, {path: raw.env, format: raw, required: false}]
            depends_on: {db: {condition: service_healthy, required: false}}
            deploy: {replicas: 2, resources: {limits: {cpus: "0.5", memory: 1g}}}
            healthcheck: {test: [CMD, a], interval: 1m30s}
            command: sh -c "a && b" ${S}
          db: {image: db, profiles: [x], links: [web], networks: {n: {aliases: [a]}}}
        volumes: {v: {external: true}}
        networks: {n: {ipam: {config: [{subnet: 10.0.0.0/8}]}}}
        configs: {c: {content: "${S}"}}
        secrets: {s: {environment: S}}
        """

    private static let environment =
        "\u{FEFF}# c\nexport A=1\nB: \"x\\n${A}\\0123\" # c\nC='a\nb'\nD\nE=${F:-${A}}$$ #c\nG=\n"

    /// Files that include, extend and override each other.
    private static let tree = [
        "/p/compose.yaml": compose, "/p/e.env": environment,
        "/p/other.yaml": """
        include: [m/inc.yaml]
        services:
          base: {image: b, build: ., ports: ["1"], extends: {service: root}}
          root: {image: r, labels: [a=1], volumes: ["v:/v"], extends: {file: /p/m/inc.yaml, service: inner}}
          o: {image: o}
        """,
        "/p/override.yaml": """
        services:
          web:
            ports: !override ["9:9"]
            environment: !reset null
            command: [x]
            volumes: ["w:/v"]
          db: !override {image: e, networks: [n]}
        volumes: {w: , v: !override {name: other}}
        """,
        "/p/m/inc.yaml": """
        services:
          inner: {image: "i:${A}", env_file: ../e.env, depends_on: [third]}
          second: {image: s, extends: inner}
          third: {image: t, env_file: ../e.env}
        networks: {n: {driver: d}}
        """,
    ].mapValues { Array($0.utf8) }

    private static func load(_ files: [String: [UInt8]]) -> [Diagnostic] {
        var options = LoadOptions()
        options.scope["S"] = Variable(value: .secret("S"), layer: .spec, mark: .generated)
        var diagnostics = Diagnostics()
        _ = loadProject(
            files: ["/p/compose.yaml", "/p/override.yaml"], options: options, tree: .memory(files),
            diagnostics: &diagnostics)
        return diagnostics.list
    }

    @Test func `the seeds themselves load`() {
        let found = Self.load(Self.tree)
        #expect(found.filter { $0.severity == .error }.map(\.what) == ["the required variable X has no value: no"])
    }

    /// A file at a time is hostile, and what the others make of it is merged all the same.
    @Test(arguments: [UInt64(1), 2])
    func `hostile files that include, extend and override each other`(seed: UInt64) {
        let paths = Self.tree.keys.filter { $0.hasSuffix(".yaml") }.sorted()
        var mutators = paths.enumerated().map { number, path in
            Mutator(
                seed: seed &* 100 &+ UInt64(number), seeds: [String(decoding: Self.tree[path] ?? [], as: UTF8.self)],
                tokens: Self.tokens, limit: 1 << 11, mostRepeats: 100)
        }
        for round in 0..<max(1, Self.iterations / 2) {
            var files = Self.tree
            let number = round % paths.count
            files[paths[number]] = mutators[number].next()
            for diagnostic in Self.load(files) where Placeholder.isIn(diagnostic.what) {
                Issue.record("\(diagnostic.what) of \(String(decoding: files[paths[number]] ?? [], as: UTF8.self))")
            }
        }
    }

    @Test func `hostile env files`() {
        var mutator = Mutator(seed: 3, seeds: [Self.environment], tokens: Self.tokens, limit: 1 << 11)
        for _ in 0..<Self.iterations {
            let input = mutator.next()
            let (lines, _) = EnvironmentFileParser.parse(input, file: "e")
            if lines.contains(where: \.name.isEmpty) { Issue.record("\(String(decoding: input, as: UTF8.self))") }
            _ = EnvironmentFileParser.parse(input, file: "e", isRaw: true)
        }
    }

    @Test func `hostile templates`() {
        var mutator = Mutator(
            seed: 4, seeds: ["a${A:-${B:-{}}}$$${C?x}", "$A${B+${A}}"], tokens: Self.tokens, limit: 1 << 11)
        for _ in 0..<Self.iterations {
            var substitution = Substitution { name in
                name == "A" ? Variable(value: "$v", layer: .spec, mark: .generated) : nil
            }
            _ = try? substitution.substitute(String(decoding: mutator.next(), as: UTF8.self))
        }
    }

    @Test func `hostile short forms`() {
        let seeds = [
            "127.0.0.1:80-90:80-90/udp", "[::1]:80:80", "./a:/b:ro,z", "1m30.5s", "1.5gib", "a=1,[::1]",
            "a 'b c' \"d\"",
        ]
        var mutator = Mutator(seed: 5, seeds: seeds, tokens: Self.tokens, limit: 200)
        for _ in 0..<Self.iterations {
            let text = String(decoding: mutator.next(), as: UTF8.self)
            _ = try? PortSpecification(text)
            _ = try? VolumeSpecification(text)
            _ = try? ShellWords(text)
            _ = ComposeDuration.parse(text)
            _ = ByteSize.parse(text)
            _ = AddressText.isValid(text)
        }
    }
}
