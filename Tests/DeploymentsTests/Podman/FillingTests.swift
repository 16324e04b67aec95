import Deployments
import ExternalTools
import FoundationEssentials
import Glibc
import KubernetesObjects
import Rendering
import TestSupport
import Testing

@testable import Runtimes

/// What a command that was killed while it filled a volume has left: the next one removes it, and leaves what a living one makes.
@Suite(.pods) struct FillingTests {
    private func addService(to fixture: inout Fixture) throws -> String {
        let path = fixture.directory + "/data/content"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        var volume = PersistentVolume(
            metadata: ObjectMeta(name: "content"),
            spec: PersistentVolumeSpec(storage: "1Gi", accessModes: ["ReadWriteOnce"]))
        volume.spec.hostPath = HostPathVolumeSource(path: path, type: "DirectoryOrCreate")
        fixture.rendered.objects.append(.persistentVolume(volume))
        fixture.add([fixture.container("web", "exec sleep 1000")])
        return path
    }

    /// Makes container and volume as a filling process does that is killed before it removes them.
    private func leave(_ name: String, of process: Int32, _ fixture: Fixture) async throws {
        let directory = "\(fixture.directory)/data/content.so-filling-\(process)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try write("half", to: directory + "/half")
        let labels = Fillings.labels(fixture.model, pod: fixture.namespace + "_web").merging(
            ["stack-orchestrator.dev/process": "\(process)"]
        ) { $1 }
        let podman = Fixture.podman
        try await podman.change(PodmanArguments.createVolume(name, labels: labels, over: directory))
        try await podman.change(
            PodmanArguments.create(
                name, labels: labels, options: ["--volume", "\(name):/content", "--", fixture.image]))
    }

    private func names(_ fixture: Fixture) async throws -> Set<String> {
        let containers = try await Fixture.podman.observe(deployment: fixture.id, images: []).containers.map(\.name)
        let volumes = try await Fixture.podman.records(
            PodmanVolumeRecord.self, PodmanArguments.volumes(label: PodmanNames.deployment, value: fixture.id))
        return Set(containers + volumes.map(\.Name))
    }

    private func directories(_ fixture: Fixture) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: fixture.directory + "/data").sorted()
    }

    @Test func `a start removes what a killed one left, and not what a living one makes`() async throws {
        try await withFixture { fixture in
            _ = try addService(to: &fixture)
            let (ended, living) = (try await endedProcess(), getpid())
            try await leave("\(fixture.namespace)_web_dead.fill", of: ended, fixture)
            try await leave("\(fixture.namespace)_web_alive.fill", of: living, fixture)
            try FileManager.default.createDirectory(
                atPath: fixture.directory + "/data/content.so-filling", withIntermediateDirectories: true)
            try await fixture.handle.start()
            let names = try await names(fixture)
            #expect(!names.contains("\(fixture.namespace)_web_dead.fill"))
            #expect(names.contains("\(fixture.namespace)_web_alive.fill"))
            #expect(try directories(fixture) == ["content", "content.so-filling-\(living)"])
        }
    }

    @Test func `a stop leaves nothing of it`() async throws {
        try await withFixture { fixture in
            _ = try addService(to: &fixture)
            try await leave("\(fixture.namespace)_web_dead.fill", of: try await endedProcess(), fixture)
            try await fixture.handle.stop()
            #expect(try await names(fixture) == [])
            #expect(try directories(fixture) == ["content"])
        }
    }
}

/// The number of a process that has ended.
func endedProcess() async throws -> Int32 {
    let shell = try await run("/bin/sh", ["-c", "echo $$"], environment: ProcessInfo.processInfo.environment)
    return try #require(Int32(shell.output.filter(\.isNumber)), "\(shell)")
}
