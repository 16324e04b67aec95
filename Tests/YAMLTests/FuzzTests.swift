import FoundationEssentials
import TestSupport
import Testing
import YAML

/// Mutated documents: `SO_FUZZ_ITERATIONS` says how many (default 3000), `SO_SEED` where they begin.
@Suite struct FuzzTests {
    private static func number(_ name: String, default value: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? value
    }

    static let seeds = [
        """
        x-base: &base
          restart: always # comment
          environment: {A: "1", B: 'two', C: }
        services:
          web: &web
            <<: *base
            image: "nginx:${TAG:-1.25}"
            ports: ["80:80", 443]
            command:
              - sh
              - -c
              - |
                echo "hi"
                  exec sleep 1
          db:
            <<: [*base, *web]
            ports: !reset []
            labels: !override
              a.b/c: >-
                folded
                text
        """,
        "%YAML 1.2\n%TAG ! tag:example.com,2000:\n---\n? [a, {b: c}]\n: !!str 12\n...\n---\n- &a [x, *a]\n- \"\\u263A\\x41\\n\"\n",
        "a: 0o17\nb: 0x1F\nc: .inf\nd: 1e3\ne: ~\nf: 2024-01-01\ng: |2-\n    x\n\n   y\nh: >+\n  a\n\n\ni: '''q'''\n",
    ]
    static let tokens = [
        "\t", "\r", "\u{0}", "\u{FEFF}", "\u{85}", "\u{2028}", "&a ", "*a", "<<: ", "[", "]", "{", "}", ",", ": ", "- ",
        "? ",
        "---\n", "...\n", "!!str ", "!reset ", "!<", "|\n", ">2+\n", "\"", "'", "\\", "\\x", "#", " #", "\n  ",
        "%TAG ! x\n", "@",
        "=", "~", "0x", "1e999", "\u{1F433}", "a: &a [*a, *a, *a, *a, *a, *a, *a, *a]\n",
        "&a [&b [&c [x, x, x, x], *c, *c], *b, *b]",
    ]

    @Test func `mutated documents load or are refused within the limits`() {
        let limits = YAMLLimits(bytes: 1 << 16, depth: 40, nodes: 20_000, expandedBytes: 1 << 20)
        let seed = Self.number("SO_SEED", default: 1)
        var mutator = Mutator(seed: UInt64(seed), seeds: Self.seeds, tokens: Self.tokens, limit: limits.bytes)
        var loaded = 0
        for iteration in 0..<Self.number("SO_FUZZ_ITERATIONS", default: 3000) {
            let input = mutator.next()
            do throws(InvalidInput) {
                let documents = try loadYAML(input, file: "fuzz", limits: limits)
                loaded += 1
                let size = documents.reduce(into: Size()) { $0.add($1, depth: 1) }
                #expect(size.nodes <= limits.nodes && size.depth <= limits.depth && size.bytes <= limits.expandedBytes)
                check(documents, iteration)
            } catch {
                #expect((1...102).contains(error.diagnostics.count), "iteration \(iteration)")
                #expect(error.diagnostics.allSatisfy { $0.mark?.file == "fuzz" && !$0.what.isEmpty })
            }
        }
        #expect(loaded > 0)
    }

    /// What was loaded is emitted and loads back equal, where the limits hold it.
    private func check(_ documents: [Node], _ iteration: Int) {
        do throws(InvalidInput) {
            let again = try loadYAML(Array(emitYAML(documents).utf8), file: "again")
            #expect(again.elementsEqual(documents) { $0.means($1) }, "iteration \(iteration)")
        } catch {
            Issue.record("iteration \(iteration): \(error)")
        }
    }

    private struct Size {
        var nodes = 0
        var bytes = 0
        var depth = 0

        mutating func add(_ node: Node, depth: Int) {
            nodes += 1
            self.depth = max(self.depth, depth)
            switch node.content {
            case .scalar(let scalar): bytes += scalar.text.utf8.count
            case .sequence(let items): for item in items { add(item, depth: depth + 1) }
            case .mapping(let mapping):
                for entry in mapping.entries {
                    bytes += entry.key.utf8.count
                    add(entry.value, depth: depth + 1)
                }
            }
        }
    }
}
