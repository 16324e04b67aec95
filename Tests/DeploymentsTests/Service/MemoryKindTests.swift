import Deployments
import KubernetesObjects
import KubernetesTestSupport
import OrderedCollections
import Rendering
import Runtimes
import Specs
import TestSupport
import Testing

/// On kind, what a deployment from memory needs of the cluster and of this host comes from its values.
@Suite struct MemoryKindTests {
    private func definition(_ directory: String) -> DeploymentDefinition {
        var definition = DeploymentDefinition(
            id: "unit-1", name: "unit-1", owner: "the test",
            compose: """
                services:
                  app:
                    image: localhost/app:1
                    user: web
                    ports: ["18080:8080"]
                    volumes: ["data:/data"]
                volumes: {data: {}}
                """, stateDirectory: directory + "/state")
        definition.spec.deployTo = .kind
        definition.spec.volumes = ["data": Located(directory + "/data")]
        definition.allowedPaths = [directory + "/data"]
        return definition
    }

    private func withKind(_ body: (RecordedKind, TestAPIServer, DeploymentService, String) async throws -> Void)
        async throws
    {
        try await withAPIServer { server in
            try await withTemporaryDirectory { directory in
                let kind = try RecordedKind(directory + "/world", server)
                // This host's own store has nothing to do with it.
                try write("#!/bin/sh\nexit 125\n", to: kind.world + "/bin/podman", mode: 0o755)
                let environment = ["PATH": kind.path(hostEnvironment), "HOME": directory + "/home"]
                let service = DeploymentService(DeploymentHost(environment: environment))
                try await body(kind, server, service, directory)
            }
        }
    }

    @Test func `the first start makes the cluster with its volumes, brings its image, and has numbers and ports`()
        async throws
    {
        try await withKind { kind, server, service, directory in
            let definition = definition(directory)
            let deployment = try await service.open(definition)
            let result = try await deployment.start()
            let calls = try kind.changes()
            #expect(calls.count == 2, "\(calls)")
            #expect(calls.first?.hasPrefix("kind create cluster --name so ") == true, "\(calls)")
            #expect(calls.last == "kind load docker-image --name so localhost/app:1", "\(calls)")
            let config = try read(kind.world + "/config.yml")
            let (host, node) = (directory + "/data", "/host\(directory)/data")
            #expect(config.contains("hostPath: \(host)\n") && config.contains("containerPath: \(node)\n"), "\(config)")
            let pods = deployment.model.rendered.objects.compactMap { object -> PodSpec? in
                if case .deployment(let own) = object { own.spec.template.spec } else { nil }
            }
            #expect(pods.first?.containers.first?.securityContext?.runAsUser == 1234)
            #expect(await server.store.names("deployments", namespace: deployment.model.namespace) == ["app"])
            #expect(result.published.map(\.port.hostPort) == [30_000] && result.published.first?.wanted == 18_080)

            try kind.setNode(
                mounts: #"{"Source":"\#(host)","Destination":"\#(node)"}"#, ports: [80, 443] + Array(30_000...30_063))
            #expect(try await service.open(definition).plan().isEmpty)
            // What only knows its name and its values stops it.
            let recorder = Recorder()
            var options = StopOptions()
            options.deleteVolumes = true
            try await service.read(definition).stop(options, events: recorder.handler)
            #expect(await server.store.names("deployments", namespace: deployment.model.namespace) == [])
            let kept = await recorder.events().compactMap { if case .kept(let what) = $0.phase { what } else { nil } }
            #expect(kept == ["\(host): not made by so"])
        }
    }

    @Test func `what the cluster was made without is named before anything changes`() async throws {
        try await withKind { kind, server, service, directory in
            try write("dev\n", to: kind.world + "/clusters")
            let deployment = try await service.open(definition(directory))
            let error = await #expect(throws: DeploymentError.self) { try await deployment.start() }
            #expect(error?.code == .unsupported && error?.cause?.contains("\(directory)/data is not mounted") == true)
            #expect(try kind.changes() == [])
            #expect(await server.store.writes == [])
        }
    }

    @Test func `what is not allowed of this host is not mounted by way of the nodes`() async throws {
        try await withTemporaryDirectory { directory in
            let service = DeploymentService(DeploymentHost(environment: [:]))
            var definition = definition(directory)
            try Files.makeDirectory(directory + "/state", mode: 0o700)
            try write("localhost/app:1: {\"user:web\": 1234}\n", to: directory + "/state/image-users.yml")
            for allowed in [[], [directory + "/state"], ["/host\(directory)/data"]] {
                definition.allowedPaths = allowed
                let error = #expect(throws: DeploymentError.self) { try service.read(definition) }
                #expect(error?.code == .notPermitted && error?.message.contains("'s \(directory)/data would") == true)
            }
            // The nodes have this host's directories below /host, whoever else had them mounted.
            definition = DeploymentDefinition(
                id: "unit-1", name: "unit-1", owner: "the test",
                compose: "services: {app: {image: localhost/app:1, volumes: ['/host\(directory)/other:/x']}}",
                stateDirectory: directory + "/state")
            definition.spec.deployTo = .kind
            definition.allowedPaths = ["/host"]
            #expect(throws: DeploymentError.self) { try service.read(definition) }
            definition.allowedPaths = [directory + "/other"]
            _ = try service.read(definition)
        }
    }
}
