import KubernetesClient
import KubernetesTestSupport
import NIOCore
import NIOHTTP1
import NIOPosix
import TestSupport
import Testing
import YAML

@testable import Deployments
@testable import Runtimes

/// A start is over when the published address answers, not when the cluster says that the pods are ready.
@Suite struct ClusterAnswerTests {
    private let stack = "services:\n  web:\n    image: localhost/x:1\n    expose: [\"80\"]\n"
    private let routes = "network: {http-proxy: [{host-name: a.example, routes: [{path: /, proxy-to: 'web:80'}]}]}\n"

    private func start(
        _ cluster: ClusterFixture, at port: Int, patience: Double = 60
    ) async throws {
        let handle = try cluster.handle(stack, spec: routes)
        var runtime = cluster.runtime
        runtime.entrance = Entrance(host: "127.0.0.1", port: port)
        runtime.answerPatience = AnswerPatience(port: 1, route: patience, refusal: 0.1)
        try await DeploymentHandle(handle.model, runtime: runtime).start()
    }

    @Test func `a start waits until the ingress controller has taken its routes up`() async throws {
        try await withCluster { cluster in
            try await withController(unknowing: 5) { controller in
                try await start(cluster, at: controller.port)
                #expect(await controller.asked.count >= 6)
            }
        }
    }

    @Test func `a route that the controller never takes up is not a ready deployment`() async throws {
        try await withCluster { cluster in
            try await withController(unknowing: .max) { controller in
                let port = controller.port
                let failed = await failure { try await start(cluster, at: port, patience: 0.5) }
                #expect(failed?.message.contains("http://a.example/") ?? false, "\(String(describing: failed))")
            }
        }
    }

    @Test func `a controller that takes connections and ends them is waited for, and named`() async throws {
        try await withCluster { cluster in
            let closing = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .childChannelInitializer { $0.close() }.bind(host: "127.0.0.1", port: 0).get()
            let port = closing.localAddress?.port ?? 0
            let failed = await failure { try await start(cluster, at: port, patience: 0.5) }
            #expect(failed?.cause?.contains("nothing answers") ?? false, "\(String(describing: failed))")
            try await closing.close()
        }
    }

    /// A cluster's own controller says where it serves an Ingress.
    private func startElsewhere(
        _ cluster: ClusterFixture, at port: Int?, patience: Double = 60, events: @escaping EventHandler = { _ in }
    ) async throws {
        let ports = port.map { [Node.map([("port", .plain("\($0)")), ("protocol", .string("TCP"))])] } ?? []
        let place = Node.map([("ip", .string("127.0.0.1")), ("ports", .list(ports))])
        await cluster.server.store.setController { object in
            guard object.kind == "Ingress", port != nil else { return TestAPIStore.ready(object) }
            return .map([("loadBalancer", .map([("ingress", .list([place]))]))])
        }
        var runtime = cluster.runtime
        runtime.answerPatience = AnswerPatience(port: 1, route: patience, refusal: 0.1)
        let model = try cluster.handle(stack, spec: routes).model
        try await DeploymentHandle(model, runtime: runtime).start(events: events)
    }

    @Test func `on any cluster a start waits until the controller serves the routes where it says that it does`()
        async throws
    {
        try await withCluster { cluster in
            try await withController(unknowing: 5) { controller in
                try await startElsewhere(cluster, at: controller.port)
                #expect(await controller.asked.count >= 6)
            }
        }
        try await withCluster { cluster in
            try await withController(unknowing: .max) { controller in
                let recorder = Recorder()
                try await startElsewhere(cluster, at: controller.port, patience: 0.5, events: recorder.handler)
                let notes = await recorder.events().compactMap { event in
                    if case .note(let diagnostic) = event.phase { diagnostic.what } else { nil }
                }
                #expect(notes.contains { $0.contains("does not serve http://a.example/ yet") }, "\(notes)")
            }
        }
        // One that says nothing is not asked.
        try await withCluster { cluster in try await startElsewhere(cluster, at: nil) }
    }

    @Test func `what cannot be reached from here is not waited for`() async throws {
        try await withCluster { cluster in try await start(cluster, at: 1) }
    }

    @Test func `a port that takes connections and ends them is told from one that answers`() async throws {
        let closing = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { $0.close() }.bind(host: "127.0.0.1", port: 0).get()
        let open = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        let probe = AddressProbe(host: "127.0.0.1")
        #expect(await probe.reach(closing.localAddress?.port ?? 0) == .silent)
        #expect(await probe.reach(open.localAddress?.port ?? 0) == .open)
        try await open.close()
        // No test can be given this one meanwhile.
        #expect(await probe.reach(1) == .unreachable)
        try await closing.close()
        await probe.shutDown()
    }
}

/// An ingress controller that knows a route only after it was asked for it so often.
private struct Controller: Sendable {
    let port: Int
    let asked: Asked

    actor Asked {
        private(set) var count = 0
        let unknowing: Int

        init(_ unknowing: Int) { self.unknowing = unknowing }

        func isKnown(_ host: String) -> Bool {
            guard host == "a.example" else { return false }
            count += 1
            return count > unknowing
        }
    }
}

private func withController(
    unknowing: Int, isolation: isolated (any Actor)? = #isolation, _ body: (Controller) async throws -> Void
) async throws {
    let asked = Controller.Asked(unknowing)
    let listener = try await TestListener.bind()
    try await listener.serve({ head, _, outbound in
        let isKnown = await asked.isKnown(head.headers.first(name: "Host") ?? "")
        let text = isKnown ? "hello" : "404 page not found"
        try await outbound.write(status: isKnown ? 200 : 404, body: Array(text.utf8))
        return true
    }) { try await body(Controller(port: listener.port, asked: asked)) }
}
