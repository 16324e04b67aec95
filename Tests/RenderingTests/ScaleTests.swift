import Compose
import KubernetesObjects
import Rendering
import Specs
import Testing
import YAML

/// Prints how long large projects take; asserts what they become, never a time.
@Suite struct ScaleTests {
    private func project(_ count: Int) -> String {
        var text = "services:\n"
        for index in 0..<count {
            text += """
                  service-\(index):
                    image: example/image:\(index)
                    command: ["serve", "--port", "80\(index % 10)0", "--name=$$NAME"]
                    environment: {NAME: "n\(index)", URL: "http://service-\((index + 1) % count):8080", SECRET: "$S"}
                    ports: ["\(10000 + index):8080"]
                    volumes: ["data-\(index):/data", {type: tmpfs, target: /tmp}]
                    healthcheck: {test: ["CMD", "true"], interval: 5s, start_period: 10s}
                    deploy: {resources: {limits: {cpus: "0.5", memory: 64M}}}
                    depends_on: [\(index == 0 ? "" : "service-\(index - 1)")]
                    labels: {a: b}

                """
        }
        text += "volumes:\n" + (0..<count).map { "  data-\($0):\n" }.joined()
        return text
    }

    @Test(arguments: [100, 1000]) func `a project of many services renders to its objects`(_ count: Int) throws {
        var diagnostics = Diagnostics()
        let tree = FileTree.memory(texts: ["/p/compose.yml": project(count)])
        var options = LoadOptions()
        options.scope["S"] = Variable(value: .secret("S"), layer: .spec, mark: .generated)
        let clock = ContinuousClock()
        var loaded: Project?
        let loading = clock.measure {
            loaded = loadProject(files: ["/p/compose.yml"], options: options, tree: tree, diagnostics: &diagnostics)
        }
        let layered = LayeredProject(stackName: "s", spec: Spec(directory: "/p"), project: try #require(loaded))
        var deployment = RenderedDeployment()
        let rendering = clock.measure {
            deployment = render(
                layered, options: RenderOptions(target: .podman, namespace: "n", deploymentID: "d", stackName: "s"),
                tree: tree, diagnostics: &diagnostics)
        }
        var text = ""
        let emission = try clock.measure { text = emitYAML(try deployment.objects.map { try $0.node() }) }
        #expect(diagnostics.list.isEmpty)
        #expect(deployment.workloads.count == count)
        #expect(deployment.objects.count == 1 + 3 * count)
        #expect(deployment.secrets.count == count)
        print(
            "\(count) services: load \(loading), render \(rendering), encode and emit \(text.utf8.count) bytes \(emission)"
        )
    }
}
