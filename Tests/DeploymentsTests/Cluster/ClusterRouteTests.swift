import Deployments
import KubernetesClient
import KubernetesTestSupport
import Specs
import TestSupport
import Testing
import YAML

@testable import Runtimes

/// Routes, forced restarts and imported secrets on a cluster, as its API sees them.
@Suite struct ClusterRouteTests {
    private let web = """
        services:
          web:
            image: localhost/x:1
            expose: ["80"]
          page:
            image: localhost/x:1
            expose: ["8080"]
        """
    private let routes = """
        network:
          http-proxy:
            - host-name: app.example.com
              routes:
                - path: /
                  proxy-to: web:80
        """

    private func ingress(_ cluster: ClusterFixture) async -> Node? {
        await cluster.server.store.object("ingresses", "app-example-com", namespace: "so-test")?.node
    }

    private func backend(_ cluster: ClusterFixture) async -> String? {
        let paths = await ingress(cluster)?.at("spec", "rules")?.sequence?.first?.at("http", "paths")?.sequence
        return paths?.first?.at("backend", "service", "name")?.text
    }

    private func add(
        _ kind: String, _ name: String, group: String, annotations: Node = .map([]), to cluster: ClusterFixture
    )
        async throws
    {
        await cluster.server.store.serve(group)
        let client = try await KubernetesClient(
            ClusterAccess.resolve(file: cluster.server.kubeconfig, environment: [:]))
        let made = try? await client.create(
            .map([
                ("apiVersion", .string("\(group)/v1")), ("kind", .string(kind)),
                ("metadata", .map([("name", .string(name)), ("annotations", annotations)])),
            ]))
        await client.shutDown()
        #expect(made != nil)
    }

    @Test func `routes lead to the maintenance service and back`() async throws {
        try await withCluster { cluster in
            let handle = try cluster.handle(web, spec: routes)
            try await handle.start()
            #expect(await backend(cluster) == "web")
            var routed = handle.model
            routed.rendered = routed.rendered.routed(to: RouteTarget(service: "page", port: 8080))
            try await handle.runtime.applyRoutes(routed)
            #expect(await backend(cluster) == "page")
            try await handle.runtime.applyRoutes(handle.model)
            #expect(await backend(cluster) == "web")
            await cluster.server.store.forgetWrites()
            try await handle.runtime.applyRoutes(handle.model)
            #expect(await cluster.server.store.writes == [])
        }
    }

    @Test func `a restart behind a maintenance service leads the routes back, also when it fails`() async throws {
        try await withCluster { cluster in
            let handle = try cluster.handle(web, spec: routes)
            try await handle.start()
            var options = StartOptions()
            options.maintenance = RouteTarget(service: "page", port: 8080)
            options.replacesAll = true
            try await handle.start(options)
            #expect(await backend(cluster) == "web")
            await cluster.server.store.setController { object in
                guard object.kind == "Deployment", object.name == "web" else { return TestAPIStore.ready(object) }
                let failure = Node.map([
                    ("type", .string("Progressing")), ("status", .string("False")), ("reason", .string("X")),
                ])
                return .map([("observedGeneration", .plain("\(object.generation)")), ("conditions", .list([failure]))])
            }
            await #expect(throws: DeploymentError.self) { try await handle.start(options) }
            #expect(await backend(cluster) == "web")
        }
    }

    @Test func `a forced restart replaces the pods once, and the next start leaves them`() async throws {
        try await withCluster { cluster in
            let handle = try cluster.handle(web)
            try await handle.start()
            var options = StartOptions()
            options.replacesAll = true
            let result = try await handle.start(options)
            #expect(result.plan.items.filter { $0.action == .update }.map(\.name).sorted() == ["page", "web"])
            let path = ["spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt"]
            let live = await cluster.server.store.object("deployments", "web", namespace: "so-test")
            let time = path.reduce(live?.node) { $0?[$1] }
            #expect(time?.text?.hasSuffix("Z") ?? false)
            await cluster.server.store.forgetWrites()
            #expect(try await handle.start().changed == false)
            #expect(await cluster.server.store.writes == [])
        }
    }

    @Test func `the only ingress class and the only issuer of a cluster are used`() async throws {
        try await withCluster { cluster in
            try await add("IngressClass", "nginx", group: "networking.k8s.io", to: cluster)
            try await add("ClusterIssuer", "le", group: "cert-manager.io", to: cluster)
            try await cluster.handle(web, spec: routes).start()
            let made = await ingress(cluster)
            #expect(made?.at("spec", "ingressClassName")?.text == "nginx")
            #expect(made?.at("metadata", "annotations", "cert-manager.io/cluster-issuer")?.text == "le")
            #expect(made?.at("spec", "tls")?.sequence?.first?["secretName"]?.text == "app-example-com-tls")
        }
    }

    @Test func `a default class is left to the server, and none at all is told`() throws {
        let marked = LiveObject(
            .map([
                (
                    "metadata",
                    .map([
                        ("name", .string("a")),
                        ("annotations", .map([("ingressclass.kubernetes.io/is-default-class", .string("true"))])),
                    ])
                )
            ]))
        let plain = LiveObject(.map([("metadata", .map([("name", .string("b"))]))]))
        #expect(IngressDefaults(classes: [marked, plain], issuers: []).className == nil)
        #expect(IngressDefaults(classes: [marked, plain], issuers: []).warning == nil)
        #expect(IngressDefaults(classes: [], issuers: []).warning?.contains("no IngressClass") ?? false)
        #expect(IngressDefaults(classes: [plain, plain], issuers: []).warning?.contains("no default") ?? false)
        #expect(IngressDefaults(classes: nil, issuers: []).warning == nil)
        #expect(IngressDefaults(classes: [], issuers: [plain, marked]).issuer == nil)
    }
}
