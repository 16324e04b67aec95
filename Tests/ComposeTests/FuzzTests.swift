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

    private static func load(_ bytes: [UInt8], environment: [UInt8]) -> [Diagnostic] {
        let other = "services: {base: {image: b, build: ., ports: [\"1\"]}, o: {image: o}}"
        let files = ["/p/compose.yaml": bytes, "/p/other.yaml": Array(other.utf8), "/p/e.env": environment]
        var options = LoadOptions()
        options.scope["S"] = Variable(value: .secret("S"), layer: .spec, mark: .generated)
        var diagnostics = Diagnostics()
        _ = loadProject(
            files: ["/p/compose.yaml", "/p/other.yaml"], options: options, tree: .memory(files),
            diagnostics: &diagnostics)
        return diagnostics.list
    }

    @Test func `the seeds themselves load`() {
        let found = Self.load(Array(Self.compose.utf8), environment: Array(Self.environment.utf8))
        #expect(found.filter { $0.severity == .error }.map(\.what) == ["the required variable X has no value: no"])
    }

    @Test(arguments: [UInt64(1), 2]) func `hostile compose files`(seed: UInt64) {
        var mutator = Mutator(seed: seed, seeds: [Self.compose], tokens: Self.tokens, limit: 1 << 13)
        for _ in 0..<Self.iterations {
            let input = mutator.next()
            for diagnostic in Self.load(input, environment: Array(Self.environment.utf8)) {
                #expect(!Placeholder.isIn(diagnostic.what), "\(String(decoding: input, as: UTF8.self))")
            }
        }
    }

    @Test func `hostile env files`() {
        var mutator = Mutator(seed: 3, seeds: [Self.environment], tokens: Self.tokens, limit: 1 << 13)
        for _ in 0..<Self.iterations {
            let input = mutator.next()
            let (lines, _) = EnvironmentFileParser.parse(input, file: "e")
            #expect(lines.allSatisfy { !$0.name.isEmpty })
            _ = EnvironmentFileParser.parse(input, file: "e", isRaw: true)
        }
    }

    @Test func `hostile templates`() {
        var mutator = Mutator(
            seed: 4, seeds: ["a${A:-${B:-{}}}$$${C?x}", "$A${B+${A}}"], tokens: Self.tokens, limit: 1 << 12)
        for _ in 0..<Self.iterations * 5 {
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
        for _ in 0..<Self.iterations * 5 {
            let text = String(decoding: mutator.next(), as: UTF8.self)
            _ = try? PortSpecification(text)
            _ = try? VolumeSpecification(text)
            _ = try? ShellWords(text)
            _ = ComposeDuration.parse(text)
            _ = ByteSize.parse(text)
            _ = IPAddress.isValid(text)
        }
    }
}
