import KubernetesObjects
import Rendering
import Testing

/// What of the host a container gets on podman.
@Suite struct PodmanHostTests {
    @Test func `devices are those of the Container Device Interface`() throws {
        let rendered = try render(
            """
            services:
              all: {image: i, gpus: all}
              two: {image: i, deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 2, capabilities: [gpu]}]}}}}
              named: {image: i, gpus: [{device_ids: ["GPU-1"], driver: amd}]}
              other: {image: i, gpus: [{driver: odd, count: 1}]}
            """, target: .podman)
        #expect(rendered.errors == [])
        #expect(try rendered.settings("all").devices == ["nvidia.com/gpu=all"])
        #expect(try rendered.settings("two").devices == ["nvidia.com/gpu=0", "nvidia.com/gpu=1"])
        #expect(try rendered.settings("named").devices == ["amd.com/gpu=GPU-1"])
        #expect(rendered.warnings.contains { $0.contains("the driver odd has no devices on podman") })
    }

    @Test func `names that the host's network does not know are told`() throws {
        let rendered = try render(
            """
            services:
              app: {image: i, network_mode: host, environment: {URL: "http://db:80/"}, command: [serve, "--cache=cache:1"]}
              db: {image: i}
              cache: {image: i}
              quiet: {image: i, network_mode: host}
            """, target: .podman)
        #expect(rendered.warnings.count == 2)
        #expect(rendered.warnings.allSatisfy { $0.contains("is not known on the host's network") })
    }
}

/// Paths of the host.
@Suite struct BindTests {
    @Test func `a single file without ro is mounted for reading only, and that is said`() throws {
        let rendered = try render(
            "services: {a: {image: i, volumes: [\"./a.conf:/etc/a.conf\", \"./b.conf:/etc/b.conf:ro\"]}}",
            files: ["/p/a.conf": "a", "/p/b.conf": "b"])
        #expect(rendered.errors == [])
        #expect(rendered.warnings.count == 1)
        #expect(rendered.warnings.first?.contains("./a.conf is copied into the deployment") == true)
    }

    @Test func `on podman a single file without ro is the host's own, and an edit of it replaces the pod`() throws {
        func written(_ text: String) throws -> Rendered {
            let rendered = try render(
                "services: {a: {image: i, volumes: [\"./a.conf:/etc/a.conf\", \"./b.conf:/etc/b.conf:ro\", \"./d.db:/d.db\"]}}",
                target: .podman, files: ["/p/a.conf": text, "/p/b.conf": "b", "/p/d.db": "\0\(text)"])
            #expect(rendered.errors == [] && rendered.warnings == [])
            return rendered
        }
        let one = try written("one")
        let volumes = try one.pod("a").spec.volumes ?? []
        #expect(volumes.compactMap(\.hostPath?.path) == ["/p/a.conf", "/p/d.db"])
        let content = try #require(one.deployment.workloads.first?.podman.writtenContent)
        #expect(content.count == 1, "data is not what people edit")
        #expect(try written("two").deployment.workloads.first?.podman.writtenContent != content)
    }

    @Test(arguments: ["./src", "./src/public", "./src/index.php"], [true, false])
    func `who reads what another service writes sees it on podman`(_ source: String, _ isAllowed: Bool) throws {
        let rendered = try render(
            """
            services:
              php: {image: i, volumes: ["./src:/app"]}
              nginx: {image: i, volumes: ["\(source):/html:ro", "./nginx.conf:/etc/nginx.conf:ro"]}
            """, target: .podman,
            files: ["/p/src/index.php": "x", "/p/src/public/logo": "x", "/p/nginx.conf": "n"],
            spec: isAllowed ? "{allowed-paths: [/p/src]}" : "")
        #expect(rendered.errors == [])
        let volumes = try rendered.pod("nginx").spec.volumes ?? []
        let isLive = isAllowed || source == "./src"
        #expect(volumes.compactMap(\.hostPath?.path) == (isLive ? ["/p/" + source.dropFirst(2)] : []))
        #expect(rendered.warnings.contains { $0.contains("what is written there is not seen") } != isLive)
    }

    @Test func `the reason for a refusal is told at each place`() throws {
        let rendered = try render(
            """
            services:
              a: {image: i, volumes: ["./empty:/e:ro"]}
              b: {image: i, volumes: ["./empty:/e:ro"]}
            """, files: ["/p/empty/.gitkeep": ""])
        #expect(rendered.errors.map { $0.contains("./empty is empty") } == [true, true], "\(rendered.errors)")
    }
}
