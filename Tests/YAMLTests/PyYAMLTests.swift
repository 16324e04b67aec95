import TestSupport
import Testing
import YAML

/// Reads what is emitted with somebody else's reader, and compares how both read real files.
@Suite(.enabled(Python.absent) { await Python.isPresent() })
struct PyYAMLTests {
    @Test func `what is emitted means the same to PyYAML`() async throws {
        var trees = RandomTrees(seed: 2)
        trees.plains = ["null", "true", "false", "0", "-7", "65536", "1.5", "-0.25", "1.5e+30"]
        let documents = (0..<1500).map { _ in trees.node(depth: 3, tags: false) }
        let awkward = RandomTrees.awkward.map { Node.map([($0, .string($0)), ("list", .list([.string($0)]))]) }
        try await withTemporaryDirectory { directory in
            let (yaml, json) = (directory + "/documents.yml", directory + "/documents.json")
            try write(emitYAML(documents + awkward), to: yaml)
            try write((documents + awkward).map { $0.json(pretty: false) + "\n" }.joined(), to: json)
            let finished = try await Python.run(
                script: """
                    import json, sys, yaml
                    def check(value):
                        if isinstance(value, dict):
                            for key in value: assert isinstance(key, str), key
                            for item in value.values(): check(item)
                        elif isinstance(value, list):
                            for item in value: check(item)
                    expected = [json.loads(line) for line in open(sys.argv[2], newline="\\n")]
                    for loader in [yaml.SafeLoader] + ([yaml.CSafeLoader] if yaml.__with_libyaml__ else []):
                        documents = list(yaml.load_all(open(sys.argv[1], newline="\\n"), Loader=loader))
                        assert len(documents) == len(expected), (len(documents), len(expected))
                        for one, two in zip(documents, expected):
                            check(one)
                            assert json.dumps(one) == json.dumps(two), (one, two)
                    """, files: [yaml, json])
            #expect(finished.succeeded, "\(finished)")
        }
    }

    @Test(.enabled(if: Shared.directory != nil, Shared.absent))
    func `real files read as PyYAML reads them`() async throws {
        let corpus = try Shared.path("corpus")
        let names = try files(below: corpus).filter { $0.hasSuffix(".yml") || $0.hasSuffix(".yaml") }
        try #require(names.count > 50)
        try await withTemporaryDirectory { directory in
            for (position, name) in names.enumerated() {
                let documents = try loadYAML(Array(try read(corpus + "/" + name).utf8), file: name)
                let again = try loadYAML(Array(emitYAML(documents).utf8), file: name)
                #expect(documents.elementsEqual(again) { $0.means($1) }, "\(name)")
                try write(Node.list(documents.map(texts)).json(pretty: true), to: "\(directory)/\(position).json")
            }
            let finished = try await Python.run(script: Self.comparison, files: [corpus, directory] + names)
            #expect(finished.succeeded, "\(finished)")
        }
    }

    /// Every scalar as the string of its text.
    private func texts(_ node: Node) -> Node {
        switch node.content {
        case .scalar(let scalar): .string(scalar.text)
        case .sequence(let items): .list(items.map(texts))
        case .mapping(let mapping): .map(mapping.entries.map { ($0.key, texts($0.value)) })
        }
    }

    private static let comparison = """
        import json, sys, yaml
        class Loader(yaml.SafeLoader): pass
        Loader.yaml_implicit_resolvers = {"<": yaml.SafeLoader.yaml_implicit_resolvers["<"]}
        def any_tag(loader, suffix, node):
            if isinstance(node, yaml.ScalarNode): return node.value
            if isinstance(node, yaml.SequenceNode): return loader.construct_sequence(node, deep=True)
            return loader.construct_mapping(node, deep=True)
        Loader.add_multi_constructor("!", any_tag)
        corpus, directory = sys.argv[1:3]
        for position, name in enumerate(sys.argv[3:]):
            theirs = list(yaml.load_all(open(f"{corpus}/{name}"), Loader=Loader))
            ours = json.load(open(f"{directory}/{position}.json"))
            one, two = (json.dumps(value, sort_keys=True) for value in (theirs, ours))
            assert one == two, (name, one, two)
        """
}
