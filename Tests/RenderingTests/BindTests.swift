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
    @Test(arguments: [RenderOptions.Target.none, .podman])
    func `a single file without ro is mounted for reading only, and that is said`(_ target: RenderOptions.Target) throws
    {
        let rendered = try render(
            "services: {a: {image: i, volumes: [\"./a.conf:/etc/a.conf\", \"./b.conf:/etc/b.conf:ro\"]}}",
            target: target,
            files: ["/p/a.conf": "a", "/p/b.conf": "b"])
        #expect(rendered.errors == [])
        #expect(rendered.warnings.count == 1)
        #expect(rendered.warnings.first?.contains("./a.conf is copied into the deployment") == true)
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
