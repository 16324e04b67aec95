import Rendering
import TestSupport
import Testing

@Suite struct KeyMappingTests {
    /// `service deploy.mode` as place and key.
    private static func schemaKeys() throws -> [(place: KeyMapping.Place, key: String)] {
        let text = try read(Shared.packageRoot + "/Tests/RenderingTests/compose-schema-keys.txt")
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            let parts = line.split(separator: " ").map(String.init)
            return KeyMapping.Place(rawValue: parts[0]).map { ($0, parts[1]) }
        }
    }

    @Test func `every key of the published compose schema is in the table`() throws {
        let keys = try Self.schemaKeys()
        #expect(keys.count > 300)
        for (place, key) in keys {
            #expect(KeyMapping.row(place, key) != nil, "\(place) \(key) is in no row")
        }
    }

    @Test func `every key that does not stand below another has a row of its own, and so has every key of deploy`()
        throws
    {
        let own = Set(KeyMapping.all.map { "\($0.place) \($0.key)" })
        for (place, key) in try Self.schemaKeys() where !key.contains(".") { #expect(own.contains("\(place) \(key)")) }
        for (place, key) in try Self.schemaKeys() where key.hasPrefix("deploy.") && key.split(separator: ".").count == 2
        {
            #expect(own.contains("\(place) \(key)"))
        }
    }

    @Test func `no row stands twice, and each says something`() {
        var seen: Set<String> = []
        for row in KeyMapping.all {
            #expect(seen.insert("\(row.place) \(row.key)").inserted, "\(row.key) stands twice")
            #expect(!row.outcome.summary.text.isEmpty)
        }
    }

    @Test func `a key below a wildcard finds its row, and one without a row that of the key around it`() {
        #expect(KeyMapping.row(.service, "networks.front.ipv4_address")?.key == "networks.*.ipv4_address")
        #expect(KeyMapping.row(.service, "networks.front.aliases")?.key == "networks.*.aliases")
        #expect(KeyMapping.row(.service, "logging.options.max-size")?.key == "logging")
        #expect(KeyMapping.row(.service, "x-anything")?.key == "x-*")
        #expect(KeyMapping.row(.service, "no_such_key") == nil)
    }

    @Test func `every key of a service and of deploy is in a golden case`() throws {
        var seen: Set<String> = []
        for item in GoldenCase.all {
            for disposition in try item.render().deployment.dispositions {
                guard disposition.service != nil else { continue }
                seen.insert(disposition.key)
                if let row = KeyMapping.row(.service, disposition.key) { seen.insert(row.key) }
            }
        }
        // They are taken out while the files are loaded.
        let loaded: Set<String> = ["extends"]
        for (place, key) in try Self.schemaKeys() where place == .service && !loaded.contains(key) {
            let depth = key.split(separator: ".").count
            guard depth == 1 || (key.hasPrefix("deploy.") && depth == 2) else { continue }
            #expect(seen.contains(key), "\(key) is in no golden case")
        }
    }

    @Test func `the Markdown has a row for each row of the table`() {
        let rows = KeyMapping.markdown.split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count == KeyMapping.all.count)
        #expect(rows.allSatisfy { $0.split(separator: "|").count >= 3 })
    }

    @Test func `the documentation's page is the table that the code uses`() throws {
        let introduction = """
            # What becomes of each compose key

            Written from the table that `so render` uses (`SO_UPDATE_GOLDENS=1 scripts/test --filter KeyMapping` writes it again). \
            `mapped` keys are rendered; `loaded` ones have done their work when the files are read; `reported` ones are a warning that \
            names key, file and line, and an error with `--strict`; `refused` ones are errors. `so render --explain-mapping` says it \
            for one project.


            """
        try expectGolden(introduction + KeyMapping.markdown, "docs/compose-mapping.md")
        #expect(
            try read(Shared.packageRoot + "/README.md").contains("(docs/compose-mapping.md)"), "the README leads to it")
    }
}
