import KubernetesObjects
import Rendering
import Testing

/// Which ports of the host a service gets on podman.
@Suite struct HostPortTests {
    private func hostPorts(_ rendered: Rendered, _ service: String) throws -> [Int?] {
        try rendered.pod(service).spec.containers.flatMap { $0.ports ?? [] }.map(\.hostPort)
    }

    @Test func `a range leaves alone what other mappings name`() throws {
        let rendered = try render(
            """
            services:
              range: {image: i, ports: ["8000-9000:80", "8001-8005:81"]}
              fixed: {image: i, ports: ["8000:8000"]}
              more: {image: i, ports: ["8000-8003:80"]}
              udp: {image: i, ports: ["8000-8003:80/udp"]}
            """, target: .podman)
        #expect(rendered.errors == [])
        #expect(try hostPorts(rendered, "range") == [8001, 8002])
        #expect(try hostPorts(rendered, "fixed") == [8000])
        #expect(try hostPorts(rendered, "more") == [8003])
        #expect(try hostPorts(rendered, "udp") == [8000])
    }

    @Test func `two ranges of one port are two mappings`() throws {
        let compose = "services: {a: {image: i, ports: [\"8000-8010:80\", \"9000-9010:80\"]}}"
        #expect(try hostPorts(try render(compose, target: .podman), "a") == [8000, 9000])
        let allocated = try render(compose, target: .podman) {
            $0.allocatedPorts = ["a/80-tcp": 8004, "a/80-tcp#2": 9004]
        }
        #expect(try hostPorts(allocated, "a") == [8004, 9004])
    }

    @Test func `each replica has a port of a range, or one of its own`() throws {
        let range = try render(
            "services: {a: {image: i, scale: 3, ports: [\"8000-8010:80\"]}, b: {image: i, ports: [\"8001:1\"]}}",
            target: .podman)
        #expect(range.errors == [])
        #expect(try hostPorts(range, "a") == [8000])
        #expect(try range.settings("a").hostPorts == ["8000/tcp": [8000, 8002, 8003]])
        let open = try render("services: {a: {image: i, scale: 2, ports: [\"80\"]}}", target: .podman) {
            $0.allocatedPorts = ["a/80-tcp": 20_000, "a/80-tcp.2": 20_001]
        }
        #expect(open.errors == [])
        #expect(try open.settings("a").hostPorts == ["20000/tcp": [20000, 20001]])
    }

    @Test(arguments: [
        ("8000:80", "2 replicas cannot share the host's port 8000"),
        ("8000-8000:80", "2 replicas cannot share the host's port 8000"),
    ])
    func `replicas that cannot have ports of their own are refused`(_ port: String, _ message: String) throws {
        let rendered = try render("services: {a: {image: i, scale: 2, ports: [\"\(port)\"]}}", target: .podman)
        #expect(rendered.errors.count == 1)
        #expect(rendered.errors.first?.contains(message) == true, "\(rendered.errors)")
        let narrow = try render("services: {a: {image: i, scale: 3, ports: [\"8000-8001:80\"]}}", target: .podman)
        #expect(narrow.errors.first?.contains("the range 8000-8001 has 2 ports for 3 replicas") == true)
    }
}
