import Deployments
import FoundationEssentials
import Glibc
import KubernetesObjects
import Rendering
import Runtimes
import TestSupport
import Testing

private let forever = "trap 'exit 0' TERM; while :; do sleep 1000 & wait $!; done"

@Suite(.pods) struct FailureTests {
    private func failure(_ fixture: Fixture, _ options: StartOptions = StartOptions()) async throws -> ServiceFailure {
        let error = await #expect(throws: DeploymentError.self) { try await fixture.handle.start(options) }
        #expect(error?.code == .failed)
        return try #require(error?.failures.first)
    }

    @Test func `an absent image is named before anything starts`() async throws {
        try await withFixture { fixture in
            fixture.add([fixture.container("good", forever)])
            fixture.add([fixture.container("bad", forever) { $0.image = "localhost/so-no-such-image:1" }])
            let failure = try await failure(fixture)
            #expect(failure.service == "bad" && failure.kind == .imageMissing)
            #expect(failure.description.contains("podman pull localhost/so-no-such-image:1"))
            #expect(try await fixture.running() == [:])
        }
    }

    @Test func `a command that does not exist is named and others keep running`() async throws {
        try await withFixture { fixture in
            fixture.add([fixture.container("good", forever)])
            fixture.add([fixture.container("bad", "") { $0.command = ["/no/such/program"] }])
            let failure = try await failure(fixture)
            #expect(failure.service == "bad" && failure.kind == .commandNotFound)
            #expect(failure.reason.contains("/no/such/program"))
            #expect(try await fixture.running().keys.sorted() == ["good"])
            fixture.add([fixture.container("bad", forever)])
            try await fixture.handle.start()
            #expect(try await fixture.running().keys.sorted() == ["bad", "good"])
        }
    }

    @Test func `a crash loop is told with its exit code and last lines`() async throws {
        try await withFixture { fixture in
            fixture.add([fixture.container("bad", "echo no database here; exit 42")])
            var options = StartOptions()
            (options.crashBudget, options.crashSeconds) = (3, 1)
            let failure = try await failure(fixture, options)
            #expect(failure.kind == .crashed)
            #expect(failure.reason.contains("exit code 42"))
            #expect(failure.log.last == "no database here")
        }
    }

    @Test func `a crash that heals is no failure`() async throws {
        try await withFixture { fixture in
            let script = "if test -e /tmp/once; then \(forever); fi; touch /tmp/once; exit 1"
            fixture.add([fixture.container("shy", script)])
            try await fixture.handle.start()
            let status = try #require(try await fixture.handle.status().first)
            #expect(status.state == .running && status.restarts == 1)
        }
    }

    @Test func `a health check that never passes is told with its answer`() async throws {
        try await withFixture { fixture in
            let bad = fixture.container("bad", "echo started; \(forever)") {
                $0.readinessProbe = Fixture.probe("echo not today; exit 1")
            }
            fixture.add([bad])
            fixture.add([fixture.container("after", forever)], dependsOn: [Fixture.healthy("bad")])
            let error = await #expect(throws: DeploymentError.self) { try await fixture.handle.start() }
            let failures = error?.failures ?? []
            #expect(failures.map(\.service) == ["after", "bad"])
            #expect(failures.last?.kind == .unhealthy)
            #expect(failures.last?.reason.contains("not today") == true)
            #expect(failures.last?.log == ["started"])
            #expect(failures.first?.kind == .dependencyFailed)
            let running = try await fixture.running()
            #expect(running.keys.sorted() == ["bad"])
            let status = try await fixture.handle.status()
            #expect(status.map(\.state) == [.running, .absent])
        }
    }

    @Test func `a job that fails is told and run again by the next start`() async throws {
        try await withFixture { fixture in
            fixture.add([fixture.container("seed", "echo broken; exit 5")], job: true, backoffLimit: 1)
            let failure = try await failure(fixture)
            #expect(failure.kind == .jobFailed)
            #expect(failure.reason == "the job ended with exit code 5, 2 times in a row")
            #expect(failure.log == ["broken", "broken"])
            #expect(try await fixture.handle.status().map(\.state) == [.failed])
            #expect(try await fixture.handle.plan().items.map(\.action) == [.replace])
        }
    }

    @Test func `a failing init step keeps the service from starting`() async throws {
        try await withFixture { fixture in
            let step = fixture.container("migrate", "echo cannot migrate; exit 2")
            fixture.add([fixture.container("web", forever)]) { $0.initContainers = [step] }
            let failure = try await failure(fixture)
            #expect(failure.kind == .initFailed && failure.log == ["cannot migrate"])
            #expect(try await fixture.running() == [:])
        }
    }

    @Test func `a missing secret names the command that makes it`() async throws {
        try await withFixture { fixture in
            fixture.add([
                fixture.container("web", forever) { $0.envFrom = [EnvFromSource(secret: "given-\(fixture.id)")] }
            ])
            let failure = try await failure(fixture)
            #expect(failure.kind == .missingReference)
            #expect(failure.description.contains("podman secret create given-\(fixture.id).KEY -"))
            let made = try await TestSupport.Podman.run(
                ["secret", "create", "given-\(fixture.id).KEY", "/proc/self/fd/0"], input: "value")
            try #require(made.succeeded, "\(made)")
            fixture.add([
                fixture.container("web", "echo $KEY; \(forever)") {
                    $0.envFrom = [EnvFromSource(secret: "given-\(fixture.id)")]
                }
            ])
            try await fixture.handle.start()
            try await eventually("printed") { try await fixture.output(of: "web") == ["value"] }
            try await fixture.handle.stop()
            try await TestSupport.Podman.run(["secret", "rm", "given-\(fixture.id).KEY"])
        }
    }

    @Test func `a taken port is named before anything starts`() async throws {
        try await withFixture { fixture in
            let port = try freePort()
            func publishing(_ name: String) -> Container {
                fixture.container(name, forever) {
                    var published = ContainerPort(containerPort: 80, protocol: "TCP")
                    published.hostPort = port
                    $0.ports = [published]
                }
            }
            fixture.add([publishing("web")])
            try await fixture.handle.start()
            var other = fixture
            other.id += "-other"
            other.rendered = RenderedDeployment()
            let second = Fixture(
                directory: fixture.directory + "/second", namespace: fixture.namespace + "-2", image: fixture.image,
                id: other.id)
            var third = second
            third.add([publishing("web")])
            let failure = try await failure(third)
            #expect(failure.kind == .portInUse && failure.reason.contains("\(port)/tcp"))
            var options = StopOptions()
            options.deleteVolumes = true
            try await third.handle.stop(options)
        }
    }

    @Test func `another deployment's namespace is refused with the line to add`() async throws {
        try await withFixture { fixture in
            fixture.add([fixture.container("web", forever)])
            try await fixture.handle.start()
            var thief = fixture
            thief.id += "-thief"
            let error = await #expect(throws: DeploymentError.self) { try await thief.handle.start() }
            #expect(error?.code == .notPermitted)
            #expect(error?.description.contains("namespace: \(fixture.namespace)-2") == true)
            #expect(error?.description.contains(fixture.directory) == true)
            try await thief.handle.stop()
            #expect(try await fixture.running().keys.sorted() == ["web"])
        }
    }

    @Test func `stop honours the grace period and keeps foreign paths`() async throws {
        try await withFixture { fixture in
            let outside = fixture.directory + "/outside"
            let inside = fixture.directory + "/data/own"
            for (name, path) in [("outside", outside), ("own", inside)] {
                var volume = PersistentVolume(
                    metadata: ObjectMeta(name: name), spec: PersistentVolumeSpec(storage: "1Gi", accessModes: []))
                volume.spec.hostPath = HostPathVolumeSource(path: path, type: "DirectoryOrCreate")
                var claim = PersistentVolumeClaim(
                    metadata: ObjectMeta(name: name),
                    spec: PersistentVolumeClaimSpec(storage: "1Gi", accessModes: ["ReadWriteOnce"]))
                claim.spec.volumeName = name
                fixture.rendered.objects += [.persistentVolume(volume), .persistentVolumeClaim(claim)]
            }
            let script =
                "trap 'echo bye > /outside/bye; exit 0' TERM; touch /own/file; while :; do sleep 1000 & wait $!; done"
            let web = fixture.container("web", script) {
                $0.volumeMounts = ["outside", "own"].map { VolumeMount(name: $0, mountPath: "/\($0)") }
            }
            fixture.add([web]) { spec in
                spec.terminationGracePeriodSeconds = 10
                spec.volumes = ["outside", "own"].map { name in
                    var volume = Volume(name: name)
                    volume.persistentVolumeClaim = PersistentVolumeClaimVolumeSource(claimName: name)
                    return volume
                }
            }
            try await fixture.handle.start()
            try await eventually("written") { exists(inside + "/file") }
            try await fixture.handle.stop()
            #expect(try read(outside + "/bye") == "bye\n")
            #expect(exists(inside + "/file"))
            var options = StopOptions()
            options.deleteVolumes = true
            let recorder = Recorder()
            try await fixture.handle.stop(options, events: recorder.handler)
            #expect(exists(outside + "/bye") && !exists(inside))
            #expect(await recorder.events().contains(Event(nil, .kept("\(outside): not made by so"))))
        }
    }

    @Test func `logs are in order of time and can be followed`() async throws {
        try await withFixture { fixture in
            fixture.add([fixture.container("a", "for i in 1 3 5; do echo a$i; sleep 0.4; done; \(forever)")])
            fixture.add([
                fixture.container("b", "sleep 0.2; for i in 2 4 6; do echo b$i >&2; sleep 0.4; done; \(forever)")
            ])
            try await fixture.handle.start()
            try await eventually("all is written") {
                let (a, b) = (try await fixture.output(of: "a"), try await fixture.output(of: "b"))
                return a.count == 3 && b.count == 3
            }
            let lines = Lines()
            let times = Lines()
            try await fixture.handle.logs(LogRequest()) { line in
                await lines.add(line.text)
                await times.add(line.time)
            }
            #expect(await lines.all.sorted() == ["a1", "a3", "a5", "b2", "b4", "b6"])
            let all = await times.all
            #expect(all == all.sorted())
            let tail = Lines()
            try await fixture.handle.logs(LogRequest(services: ["a"], tail: 1)) { await tail.add($0.text) }
            #expect(await tail.all == ["a5"])

            let followed = Lines()
            let handle = fixture.handle
            let task = Task { try await handle.logs(LogRequest(follow: true)) { await followed.add($0.text) } }
            try await eventually("history") { await followed.all.count == 6 }
            let restarted = try await TestSupport.Podman.run(["restart", "-t", "0", "\(fixture.namespace)_a_a"])
            try #require(restarted.succeeded, "\(restarted)")
            try await eventually("the restarted container is followed") { await followed.all.count == 9 }
            task.cancel()
            let error = await #expect(throws: DeploymentError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
    }
}
