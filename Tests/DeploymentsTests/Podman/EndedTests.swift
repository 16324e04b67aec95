import Deployments
import ExternalTools
import FoundationEssentials
import KubernetesObjects
import Rendering
import Runtimes
import TestSupport
import Testing

/// Containers that have ended, by themselves or by somebody's hand.
@Suite(.pods) struct EndedTests {
    /// A podman that no longer knows what `podman wait` asks, as any podman five minutes after a container's end.
    private func forgetfulPodman(_ directory: String) throws -> ExternalTools.Podman {
        var podman = Fixture.podman
        let path = TestSupport.Podman.environment["PATH"] ?? "/usr/bin:/bin"
        let script = """
            #!/bin/sh
            PATH='\(path)'
            [ "$1" = wait ] || exec podman "$@"
            podman "$@" >/dev/null
            echo 'Error: getting exit code of container from DB: no such exit code' >&2
            exit 125
            """
        try write(script, to: directory + "/forgetful/podman", mode: 0o755)
        podman.environment["PATH"] = "\(directory)/forgetful:\(path)"
        return podman
    }

    @Test func `a job whose exit code podman has forgotten has ended as it did`() async throws {
        try await withFixture { fixture in
            fixture.add([fixture.container("good", "exit 0")], job: true)
            let handle = DeploymentHandle(
                fixture.model, runtime: fixture.runtime(try forgetfulPodman(fixture.directory)))
            #expect(try await handle.start().changed)
            #expect(try await !handle.start().changed)
            fixture.add([fixture.container("bad", "exit 7")], job: true)
            let other = DeploymentHandle(
                fixture.model, runtime: fixture.runtime(try forgetfulPodman(fixture.directory)))
            let error = await #expect(throws: DeploymentError.self) { try await other.start() }
            #expect(error?.failures.first?.reason.contains("exit code 7") == true, "\(String(describing: error))")
        }
    }

    @Test func `a service that keeps ending is stopped once its start has failed, and the next start tries it again`()
        async throws
    {
        try await withFixture { fixture in
            fixture.add([fixture.container("bad", "exit 42")])
            var options = StartOptions()
            (options.crashBudget, options.crashSeconds) = (3, 1)
            for _ in 1...2 {
                let error = await #expect(throws: DeploymentError.self) { try await fixture.handle.start(options) }
                #expect(
                    error?.failures.first?.reason.hasSuffix("; it was stopped") == true, "\(String(describing: error))")
                #expect(try await fixture.handle.status().map(\.state) == [.failed])
                let state = "{{.State.Status}} {{.State.StartedAt}}"
                let name = "\(fixture.namespace)_bad_bad"
                let first = try await TestSupport.Podman.lines("inspect", "--format", state, name)
                #expect(first[0].hasPrefix("exited "))
                #expect(try await TestSupport.Podman.lines("inspect", "--format", state, name) == first)
            }
        }
    }

    @Test func `what somebody killed is stopped, not about to restart, and starts again`() async throws {
        try await withFixture { fixture in
            fixture.add([fixture.container("one", "exec sleep 1000")])
            try await fixture.handle.start()
            let name = "\(fixture.namespace)_one_one"
            try await TestSupport.Podman.run(["kill", name])
            try await eventually("it has ended") { try await fixture.handle.status().map(\.state) == [.stopped] }
            try await fixture.handle.start()
            #expect(try await fixture.handle.status().map(\.state) == [.running])
        }
    }

    @Test func `a process file that a killed runc left does not block the container`() async throws {
        try await withFixture { fixture in
            let left = "\(fixture.directory)/.state/processes/.\(fixture.namespace)_one_one"
            try write("", to: left)
            fixture.add([fixture.container("one", "exec sleep 1000")])
            try await fixture.handle.start()
            try await TestSupport.Podman.run(["stop", "-t", "0", "\(fixture.namespace)_one_one"])
            try write("", to: left)
            let before = try await TestSupport.Podman.lines(
                "ps", "--all", "--no-trunc", "--quiet", "--filter", "name=\(fixture.namespace)_one_one")
            try await fixture.handle.start()
            #expect(try await fixture.running()["one"] == before.first, "it is started, not recreated")
        }
    }
}
