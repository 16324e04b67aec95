import TestSupport
import Testing
import YAML

@Suite struct RoundTripTests {
    @Test func `what is emitted loads back equal`() throws {
        var trees = RandomTrees(seed: 1)
        for _ in 0..<8000 {
            let documents = (0..<Int.random(in: 1...2, using: &trees.generator)).map { _ in trees.node(depth: 4) }
            let text = emitYAML(documents)
            let loaded = try loadYAML(Array(text.utf8), file: "tree")
            try #require(loaded.count == documents.count, "\(text)")
            for (one, two) in zip(documents, loaded) { try #require(one.means(two), "\(text)\(one)") }
            try #require(emitYAML(loaded) == text)
        }
    }

    @Test(arguments: RandomTrees.awkward)
    func `every awkward string survives as value key item and document`(string: String) throws {
        let value = Node.string(string)
        let places = [
            value, .list([value]), .map([(string, .string("a"))]), .map([("a", value), ("b", value)]),
            .list([.list([value]), .map([(string, value)])]), .map([("a", .map([("b", .list([value]))]))]),
        ]
        for place in places {
            let text = place.yaml()
            #expect(try load(text).means(place), "\(text)")
        }
    }

    @Test func `a key too long for a simple key survives`() throws {
        for length in [999, 1000, 1001, 1022, 1023, 1024, 1025, 5000] {
            let key = String(repeating: "k", count: length)
            let node = Node.map([(key, .map([("a", .list([.string("b")]))])), (key + " ", .string("x\ny"))])
            #expect(try load(node.yaml()).means(node))
        }
    }
}
