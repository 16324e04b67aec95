import Rendering
import Testing

@Suite struct ExternalServiceTests {
    @Test(arguments: [(RenderOptions.Target.podman, true), (.kubernetes, false)])
    func `a selection of a cluster's pods is told to mean nothing on podman`(
        target: RenderOptions.Target, isTold: Bool
    ) throws {
        let rendered = try render(
            "services: {a: {image: i}}", target: target,
            spec: "external-services: {db: {selector: {app: db}, namespace: other, port: 5432}}\n")
        #expect(rendered.errors == [])
        #expect(rendered.warnings.contains { $0.contains("db selects pods of a cluster") } == isTold)
    }
}
