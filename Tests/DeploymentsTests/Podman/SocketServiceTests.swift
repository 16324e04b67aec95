import Deployments
import ExternalTools
import FoundationEssentials
import Glibc
import KubernetesObjects
import TestSupport
import Testing

@testable import Runtimes

/// What the one podman that serves a start says and makes is what a podman of its own does, and nothing depends on it.
@Suite(.pods) struct SocketServiceTests {
    private func observation(
        _ podman: ExternalTools.Podman, _ fixture: Fixture
    ) async throws -> (Observed, [PodmanVolumeRecord], [PodmanContainerInspection]) {
        let label = PodmanNames.deployment
        var observed = try await podman.observe(deployment: fixture.id, images: [fixture.image], networks: true)
        observed.networks = try await podman.records(
            PodmanNetworkRecord.self, PodmanArguments.networks(label: label, value: fixture.id))
        let volumes = try await podman.records(
            PodmanVolumeRecord.self, PodmanArguments.volumes(label: label, value: fixture.id))
        // Podman's lists have no order of their own.
        observed.pods.sort { $0.Name < $1.Name }
        for index in observed.pods.indices { observed.pods[index].Containers?.sort { $0.Id < $1.Id } }
        observed.containers.sort { $0.Id < $1.Id }
        let names = observed.containers.map(\.Id)
        return (observed, volumes, names.isEmpty ? [] : try await podman.inspect(containers: names))
    }

    @Test func `it answers as a podman of its own does`() async throws {
        try await withFixture { fixture in
            var port = ContainerPort(containerPort: 80, protocol: "TCP")
            (port.hostPort, port.hostIP) = (try freePort(), "127.0.0.1")
            let published = port
            fixture.add([fixture.container("web", "exec sleep 1000") { $0.ports = [published] }])
            fixture.add([fixture.container("other", "exec sleep 1000"), fixture.container("beside", "exec sleep 1000")])
            try await fixture.handle.start()
            let secret = "so-test-\(fixture.id)"
            try await Fixture.podman.change(PodmanArguments.createSecret(secret, labels: [:]), input: Array("x".utf8))
            let volume = PodmanCreation.volume(name: secret, labels: [PodmanNames.deployment: fixture.id])
            try await Fixture.podman.make(volume)
            let served = Fixture.podman.served(by: Fixture.podman.socketService())
            let service = try #require(served.service)
            #expect(await service.answer(PodmanArguments.allNetworks) != nil, "it serves")
            let (own, other) = (try await observation(served, fixture), try await observation(Fixture.podman, fixture))
            #expect(own.0.containers == other.0.containers && own.0.containers.count == 4)
            #expect(own.0.pods == other.0.pods && own.0.pods.count == 2)
            #expect(own.0.images == other.0.images && own.0.images.count == 1)
            #expect(own.0.networks == other.0.networks && own.0.networks.count == 1)
            #expect(own.1 == other.1 && own.1.map(\.Name) == [secret])
            #expect(own.2 == other.2)
            #expect(try await served.secretNames().sorted() == Fixture.podman.secretNames().sorted())
            try await Fixture.podman.change(PodmanArguments.removeSecrets([secret]))
        }
    }

    @Test func `what it makes is what a podman of its own makes`() async throws {
        try await withFixture { fixture in
            let labels = Ownership.labels(fixture.model)
            for (podman, name) in [
                (Fixture.podman.served(by: Fixture.podman.socketService()), "a"), (Fixture.podman, "b"),
            ] {
                let name = "\(fixture.namespace)_\(name)"
                for thing in [
                    PodmanCreation.pod(name: name, labels: labels), .network(name: name, labels: labels),
                    .volume(name: name, labels: labels),
                ] {
                    try await podman.make(thing)
                    // The name is taken now, whoever asks.
                    await #expect(throws: CommandFailure.self) { try await podman.make(thing) }
                }
            }
            let (observed, volumes, _) = try await observation(Fixture.podman, fixture)
            #expect(observed.pods.map(\.Labels) == [labels, labels] && observed.pods.allSatisfy { $0.InfraId == "" })
            #expect(observed.networks.map(\.labels) == [labels, labels])
            #expect(observed.networks.map(\.dns_enabled) == [true, true])
            #expect(volumes.map(\.Labels) == [labels, labels])
        }
    }

    @Test(arguments: ["exit 125", "unset NOTIFY_SOCKET"])
    func `where podman does not serve, or does not say so, a podman is started for each question`(step: String)
        async throws
    {
        try await withTemporaryDirectory { directory in
            let real = try await run(
                "/bin/sh", ["-c", "command -v podman"], environment: ProcessInfo.processInfo.environment)
            try write(
                "#!/bin/sh\n[ \"$1\" != system ] || \(step)\nexec \(real.output.filter { !$0.isWhitespace }) \"$@\"\n",
                to: directory + "/podman")
            chmod(directory + "/podman", 0o755)
            var podman = Fixture.podman
            podman.environment["PATH"] = directory + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")
            let served = podman.served(by: podman.socketService())
            #expect(await served.service?.answer(PodmanArguments.allNetworks) == nil)
            let networks = try await served.records(PodmanNetworkRecord.self, PodmanArguments.allNetworks)
            #expect(networks.contains { $0.name == "podman" })
        }
    }

    @Test func `it ends by itself when nobody asks any more, and another one answers who asks later`() async throws {
        try await withTemporaryDirectory { directory in
            let service = PodmanSocketService(Fixture.podman, directory: directory)
            #expect(await service.answer(PodmanArguments.allNetworks) != nil)
            let sockets = { try FileManager.default.contentsOfDirectory(atPath: directory) }
            #expect(try sockets().count == 1)
            try await eventually("it has ended") { try sockets().isEmpty }
            try await eventually("another one answers") { await service.answer(PodmanArguments.allNetworks) != nil }
            try await eventually("it has ended, too") { try sockets().isEmpty }
        }
    }
}
