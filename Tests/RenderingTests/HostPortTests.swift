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

    private func nodePorts(_ rendered: Rendered, _ name: String) -> [Int: Int?] {
        var result: [Int: Int?] = [:]
        for object in rendered.deployment.objects {
            guard case .service(let service) = object, service.metadata.name == "\(name)-nodeport" else { continue }
            for port in service.spec.ports ?? [] { result[port.port] = port.nodePort }
        }
        return result
    }

    @Test(arguments: [RenderOptions.Target.kubernetes, .kind])
    func `a published number that a node can have is kept, and the host's network publishes as others do`(
        target: RenderOptions.Target
    ) throws {
        let kept = try render("services: {a: {image: i, ports: [\"30080:80\", \"8080:81\"]}}", target: target)
        #expect(nodePorts(kept, "a") == [80: 30080, 81: nil])
        let host = try render(
            "services: {a: {image: i, network_mode: host, ports: [\"30081:80\"]}}", target: target)
        #expect(nodePorts(host, "a") == [80: 30081])
        #expect(try host.pod("a").spec.hostNetwork == true)
    }

    @Test(arguments: [("192.0.2.1", true), ("0.0.0.0", false), ("127.0.0.1", false)])
    func `one address of a host among others is not to be had in a cluster, and that is said`(
        address: String, isTold: Bool
    ) throws {
        for target in [RenderOptions.Target.kubernetes, .kind] {
            let rendered = try render("services: {a: {image: i, ports: [\"\(address):8080:80\"]}}", target: target)
            #expect(rendered.warnings.contains { $0.contains("not on 192.0.2.1") } == isTold, "\(rendered.warnings)")
        }
        let podman = try render("services: {a: {image: i, ports: [\"\(address):8080:80\"]}}", target: .podman)
        #expect(podman.warnings == [])
    }

    @Test func `more replicas than one host can have are refused on podman`() throws {
        let compose = "services: {a: {image: i, deploy: {replicas: 100000000}}}"
        #expect(
            try render(compose, target: .podman).errors.contains { $0.contains("more than the 1000 that podman runs") })
        #expect(try render(compose, target: .kubernetes).errors == [])
    }
}
