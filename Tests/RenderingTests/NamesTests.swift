import Testing

@testable import Rendering

@Suite struct NamesTests {
    @Test(arguments: [
        ("web", "web"), ("my_db", "my-db"), ("Web.API", "web-api"), ("_x_", "x"), ("ünïcode", "n-code"),
        ("___", ""),
    ]) func `a name becomes a DNS label`(_ name: String, _ label: String) { #expect(Names.label(name) == label) }

    @Test func `long names are cut to 63 and stay different`() {
        let (one, two) = (String(repeating: "a", count: 80) + "1", String(repeating: "a", count: 80) + "2")
        #expect(Names.label(one).utf8.count <= 63)
        #expect(Names.label(one) != Names.label(two))
        #expect(Names.label(one) == Names.label(one))
    }

    @Test(
        arguments: [
            (nil, "80-tcp"), ("HTTP", "http"), ("my_long_port_name_x", "my-long-port-na"), ("123", "80-tcp"),
            ("a--b", "a-b"),
        ] as [(String?, String)]) func `port names are valid and unique`(_ written: String?, _ name: String)
    {
        var taken: Set<String> = []
        #expect(PortNames.name(written, port: 80, transport: "tcp", taken: &taken) == name)
        #expect(PortNames.name(name, port: 80, transport: "tcp", taken: &taken) != name)
    }

    @Test(
        arguments: [
            (0, "0"), (1000, "1000"), (1024, "1Ki"), (512 << 20, "512Mi"), (5 << 30, "5Gi"), (1536 << 20, "1536Mi"),
        ]
            as [(Int64, String)]) func `bytes are written in the largest unit that divides them`(
            _ value: Int64, _ text: String
        )
    { #expect(Quantities.bytes(value) == text) }

    @Test(arguments: [(1, "1"), (0.5, "500m"), (0.0001, "1m"), (2.25, "2250m")])
    func `CPUs are whole or in thousandths`(_ value: Double, _ text: String) { #expect(Quantities.cpus(value) == text) }

    @Test func `durations are rounded up to seconds`() {
        #expect(Quantities.seconds(.milliseconds(1500)) == 2)
        #expect(Quantities.seconds(.seconds(90)) == 90)
        #expect(Quantities.seconds(.zero) == 0)
    }
}
