import Rendering
import Testing

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
