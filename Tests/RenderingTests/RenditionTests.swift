import Compose
import KubernetesObjects
import Rendering
import Specs
import Testing
import YAML

/// What each stage of a rendering returns, in print.
@Suite struct RenditionTests {
    private func rendition(_ compose: String, spec text: String, target: RenderOptions.Target) throws -> Rendition {
        var diagnostics = Diagnostics()
        let tree = FileTree.memory(texts: ["/p/compose.yml": compose, "/p/site.conf": "a"])
        let project = try #require(loadProject(files: ["/p/compose.yml"], tree: tree, diagnostics: &diagnostics))
        let spec = try #require(
            parseSpec(
                Array(text.utf8), file: "spec.yml", directory: "/p", completeness: .fragment, diagnostics: &diagnostics)
        )
        let layered = LayeredProject(stackName: "s", spec: spec, project: project)
        let options = RenderOptions(target: target, namespace: "n", deploymentID: "d", stackName: "s")
        let result = Rendition(layered, options: options, tree: tree, diagnostics: &diagnostics)
        #expect(diagnostics.list.isEmpty)
        return result
    }

    private static let compose = """
        services:
          web:
            image: web:1
            ports: ["8080:80"]
            volumes: ["data:/data", "./site.conf:/etc/site.conf:ro"]
            depends_on: {seed: {condition: service_completed_successfully}}
            networks: {default: {aliases: [www]}}
          logs: {image: logs:1, network_mode: "service:web"}
          seed: {image: seed:1, restart: "no", volumes: ["data:/data"]}
        volumes: {data: {}}
        """

    @Test func `each stage's value says what the stage decided`() throws {
        let spec =
            "network: {isolate: true, http-proxy: [{host-name: a.example.com, routes: [{path: /, proxy-to: web:80}]}]}"
        let text = try rendition(Self.compose, spec: spec, target: .kind).description
        #expect(
            text == """
                collection
                  web of s: deployment web
                  logs of s: deployment logs
                  seed of s: job(backoffLimit: 0) seed, awaited
                grouping
                  web: [0, 1]
                  seed: [2]
                network separation
                  false
                names
                  logs: logs
                  seed: seed
                  web: web
                fillers
                  data: seed
                pods
                  Deployment web: web, logs after seed service_completed_successfully
                  Job seed: seed
                mounts
                  volume data: provisioned data
                  files site-conf-ffc46c2bf6
                services
                  web: 80/TCP
                  www: 80/TCP
                  web-nodeport: 80/TCP
                  logs
                  seed
                  host port 8080 of web/80-tcp
                policies
                  network-default
                  web-published
                ingresses
                  a-example-com
                storage
                  ConfigMap site-conf-ffc46c2bf6
                  PersistentVolumeClaim data
                networks

                """, "\(text)")
    }
}
