import KubernetesObjects
import Rendering
import Testing
import YAML

@Suite struct HelmChartTests {
    private func chart(_ deployment: RenderedDeployment) throws -> [String: String] {
        let files = try HelmChart(deployment, name: "My_Stack", appVersion: "1.0").files
        return Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0.text) })
    }

    private func values(_ chart: [String: String], _ change: (inout Node) -> Void = { _ in }) throws -> Node {
        var values = try loadYAMLDocument(Array((chart["values.yaml"] ?? "").utf8), file: "values.yaml")
        change(&values)
        return values
    }

    private func objects(
        _ chart: [String: String], _ deployment: RenderedDeployment, values: Node, namespace: String
    ) throws -> [Node] {
        let evaluator = HelmEvaluator(values: values, namespace: namespace)
        return try deployment.objects.filter { $0.kind != "Namespace" }.map { object in
            let path = "templates/\(object.kind.lowercased())-\(object.name).yaml"
            let template = try #require(chart[path])
            return try loadYAMLDocument(Array(try evaluator.render(template).utf8), file: path)
        }
    }

    /// Without the annotation that keeps data, which is the one thing that a chart adds.
    private func withoutPolicy(_ node: Node) -> Node {
        guard ["PersistentVolume", "PersistentVolumeClaim"].contains(node.mapping?["kind"]?.text) else { return node }
        var mapping = node.mapping ?? Mapping()
        var metadata = mapping["metadata"]?.mapping ?? Mapping()
        var annotations = metadata["annotations"]?.mapping ?? Mapping()
        #expect(annotations["helm.sh/resource-policy"]?.text == "keep")
        annotations["helm.sh/resource-policy"] = nil
        metadata["annotations"] = annotations.entries.isEmpty ? nil : Node(.mapping(annotations))
        mapping["metadata"] = Node(.mapping(metadata))
        return Node(.mapping(mapping))
    }

    @Test(arguments: GoldenCase.sound) func `with its default values a chart gives what so render gives`(
        _ item: GoldenCase
    ) throws {
        let outcome = try item.render()
        try #require(!outcome.diagnostics.contains { $0.severity == .error })
        let chart = try chart(outcome.deployment)
        let namespace = "so-\(item.name)"
        let found = try objects(chart, outcome.deployment, values: values(chart), namespace: namespace)
        let wanted = try outcome.deployment.objects.filter { $0.kind != "Namespace" }.map { try $0.node() }
        for (one, other) in zip(found, wanted) {
            #expect(sorted(withoutPolicy(one)).json() == sorted(other).json())
        }
    }

    private func sorted(_ node: Node) -> Node {
        switch node.content {
        case .mapping(let mapping):
            .map(mapping.entries.sorted { $0.key < $1.key }.map { ($0.key, sorted($0.value)) })
        case .sequence(let items): .list(items.map(sorted))
        case .scalar: node
        }
    }

    private static let compose = """
        services:
          web:
            image: nginx:1
            ports: ["80"]
            environment: {GREETING: "{{ .Values.evil }} and $${X}", URL: "http://$$(A)"}
            volumes: [data:/data]
            configs: [page]
        configs: {page: {content: "a {{ b }} {{{c}}}"}}
        volumes: {data: }
        """

    @Test func `values change what differs between installations`() throws {
        let rendered = try render(
            Self.compose, target: .kubernetes,
            spec: "network: {http-proxy: [{host-name: example.com, routes: [{path: /, proxy-to: \"web:80\"}]}]}")
        #expect(rendered.errors == [])
        let chart = try chart(rendered.deployment)
        let overlay = try loadYAMLDocument(
            Array(
                """
                commonLabels: {team: blue}
                services:
                  web:
                    image: mirror/nginx:2
                    replicas: 3
                    resources: {limits: {memory: 1Gi}}
                    env: {GREETING: hello, URL: u}
                hosts: {example-com: other.org}
                ingressClassName: traefik
                existingSecrets: {}
                """.utf8), file: "values")
        let objects = try objects(chart, rendered.deployment, values: overlay, namespace: "elsewhere")
        let text = emitYAML(objects)
        for part in [
            "team: blue", "mirror/nginx:2", "replicas: 3", "memory: 1Gi", "value: hello", "host: other.org",
            "ingressClassName: traefik", "namespace: elsewhere", "a {{ b }} {{{c}}}",
        ] {
            #expect(text.contains(part), "\(part)")
        }
        for part in ["nginx:1", "example.com", "evil", "namespace: n\n"] { #expect(!text.contains(part), "\(part)") }
    }

    @Test func `a chart holds no secret, and says which ones must be there`() throws {
        let rendered = try render(
            """
            services:
              web: {image: i, secrets: [key], environment: {A: b}}
            secrets: {key: {file: ./key}}
            """, files: ["/p/key": "s3cret-value"])
        let chart = try chart(rendered.deployment)
        #expect(!chart.values.contains { $0.contains("s3cret-value") })
        #expect(chart["values.yaml"]?.contains("existingSecrets:\n  key: key\n") == true)
        let notes = try HelmEvaluator(values: values(chart), namespace: "n").render(chart["templates/NOTES.txt"] ?? "")
        #expect(notes.contains("kubectl --namespace n create secret generic key --from-literal=key=VALUE"))
        let other = try values(chart) { values in
            var mapping = values.mapping ?? Mapping()
            mapping["existingSecrets"] = .map([("key", .string("mine"))])
            values.content = .mapping(mapping)
        }
        let text = emitYAML(try objects(chart, rendered.deployment, values: other, namespace: "n"))
        #expect(text.contains("secretName: mine"))
    }

    /// The rules of `helm lint`: <https://github.com/helm/helm/tree/main/pkg/chart/v2/lint/rules>.
    @Test func `a chart keeps the rules of helm lint`() throws {
        let chart = try chart(try render(Self.compose).deployment)
        let metadata = try loadYAMLDocument(Array((chart["Chart.yaml"] ?? "").utf8), file: "Chart.yaml").mapping
        #expect(metadata?["apiVersion"]?.text == "v2")
        #expect(metadata?["name"]?.text == "my-stack")
        #expect(metadata?["type"]?.text == "application")
        #expect(metadata?["version"]?.text?.split(separator: ".").count == 3)
        #expect(metadata?["appVersion"]?.scalar?.isPlain == false, "an appVersion that looks like a number is quoted")
        #expect(chart["values.yaml"] != nil)
        for (path, text) in chart where path.hasPrefix("templates/") {
            #expect(path.hasSuffix(".yaml") || path == "templates/NOTES.txt")
            #expect(!text.contains("SoTemplateMark"), "\(path)")
        }
    }
}
