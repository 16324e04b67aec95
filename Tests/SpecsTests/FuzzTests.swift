import Compose
import OrderedCollections
import TestSupport
import Testing
import YAML

@testable import Specs

@Suite struct FuzzTests {
    @Test func `a mutated spec is read or refused, and what is read is emitted and read again`() {
        var mutator = Mutator(
            seed: 7, seeds: [SpecTests.whole],
            tokens: ["null", "[]", "{}", ": ", "- ", "!x", "8080", "~", "''", "x-a: 1"],
            limit: 4096)
        for _ in 0..<300 {
            let bytes = mutator.next()
            var diagnostics = Diagnostics()
            let spec = parseSpec(bytes, file: "s", directory: "/d", completeness: .fragment, diagnostics: &diagnostics)
            #expect((spec == nil) == diagnostics.hasErrors)
            guard let spec else { continue }
            var second = Diagnostics()
            let again = parseSpec(
                Array(spec.node.yaml().utf8), file: "s", directory: "/d", completeness: .fragment, diagnostics: &second)
            #expect(again?.node.yaml() == spec.node.yaml(), "\(second.list)")
        }
    }

    @Test func `a mutated value of config never crashes the generators`() {
        var mutator = Mutator(
            seed: 11, seeds: ["a$generate:hex:16$b${C}$generate:uuid$$generate:alnum:4$$${D}"],
            tokens: ["$", "${", "}", "$generate:", ":", "9", "${V}", "$$", "uuid"], limit: 512)
        for _ in 0..<300 {
            let value = String(decoding: mutator.next(), as: UTF8.self)
            var diagnostics = Diagnostics()
            let parsed = GeneratedValue.parse(value, variable: "V", at: .generated, diagnostics: &diagnostics)
            if let parsed { #expect(!parsed.generators.isEmpty) }
            var spec = Spec(file: "s")
            spec.config = ["V": Located(value), "C": Located("c"), "D": Located("${V}")]
            var chain = VariableChain(spec: spec)
            chain.build(LayerOptions(), .memory([:]), &diagnostics)
            #expect(chain.variables.count == 3)
        }
    }
}
