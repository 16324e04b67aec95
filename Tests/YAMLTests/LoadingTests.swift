import Testing
import YAML

func load(_ text: String, limits: YAMLLimits = .standard) throws -> Node {
    try loadYAMLDocument(Array(text.utf8), file: "test.yml", limits: limits)
}

/// What loading says, a problem per line; empty where it succeeds.
func problems(_ text: String, limits: YAMLLimits = .standard) -> String {
    do {
        _ = try loadYAML(Array(text.utf8), file: "test.yml", limits: limits)
        return ""
    } catch {
        return error.description
    }
}

@Suite struct LoadingTests {
    @Test func `every key and value has its place`() throws {
        let node = try load("services:\n  web:\n    image: nginx\n    ports: [80, \"81\"]\n")
        let web = try #require(node.mapping?["services"]?.mapping?["web"])
        #expect(node.mapping?["services"]?.mapping?.keyMark("web")?.description == "test.yml:2:3")
        #expect(web.mark.description == "test.yml:3:5")
        #expect(web.mapping?["ports"]?.sequence?[1].mark.description == "test.yml:4:17")
        #expect(web.mapping?.entries.map(\.key) == ["image", "ports"])
    }

    @Test(arguments: [
        ("", ScalarValue.null), ("~", .null), ("null", .null), ("Null", .null), ("true", .bool(true)),
        ("FALSE", .bool(false)), ("yes", .string("yes")), ("on", .string("on")), ("22:22", .string("22:22")),
        ("0755", .string("0755")), ("1_000", .string("1_000")), ("2024-01-01", .string("2024-01-01")),
        ("0o17", .int(15)), ("0x1F", .int(31)), ("-12", .int(-12)), ("+12", .int(12)), ("0", .int(0)),
        ("12e03", .float(12000)), (".5", .float(0.5)), ("1.", .float(1)), ("-2.5E-1", .float(-0.25)),
        (".inf", .float(.infinity)), ("-.INF", .float(-.infinity)), ("0o8", .string("0o8")), ("0x", .string("0x")),
        (".", .string(".")), ("-a", .string("-a")), ("1.2.3", .string("1.2.3")), ("e3", .string("e3")),
        ("9223372036854775808", .float(9223372036854775808)), ("1e", .string("1e")), ("'12'", .string("12")),
        ("!!str 12", .string("12")), ("!!int '12'", .int(12)), ("!!float 3", .int(3)), ("!!null ''", .null),
    ])
    func scalarsFollowTheCoreSchema(text: String, value: ScalarValue) throws {
        #expect(try load("key: \(text)").mapping?["key"]?.value == value)
    }
}
