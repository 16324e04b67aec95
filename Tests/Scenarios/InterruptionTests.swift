import Glibc
import TestSupport
import Testing

/// After any interruption the next command converges: nothing lost, nothing twice, nothing leaked.
@Suite(.pods, .podmanOnly) struct InterruptionTests {
    /// Two services in a row, and a third that becomes healthy when the test puts a file into its volume, so that a start can be met
    /// half way.
    private let compose = """
        services:
          first:
            image: IMAGE
            command: ["sleep", "100000"]
            stop_grace_period: 0s
            environment:
              PASSWORD: ${PASSWORD}
            volumes: ["kept:/kept"]
          second:
            image: IMAGE
            command: ["sleep", "100000"]
            stop_grace_period: 0s
            depends_on: [first]
          gate:
            image: IMAGE
            command: ["sleep", "100000"]
            stop_grace_period: 0s
            volumes: ["flag:/flag"]
            depends_on: [second]
            healthcheck:
              test: ["CMD", "test", "-f", "/flag/go"]
              interval: 100ms
              retries: 10000
          last:
            image: IMAGE
            command: ["sleep", "100000"]
            stop_grace_period: 0s
            depends_on:
              gate:
                condition: service_healthy
        volumes:
          kept:
          flag:
        """
    private let spec = "config:\n  PASSWORD: $generate:hex:16$\nvolumes:\n  flag: ./data/flag\n"

    private func open(_ sandbox: Sandbox) throws { try write("", to: sandbox.deployment + "/data/flag/go") }
    private func close(_ sandbox: Sandbox) { removeTree(sandbox.deployment + "/data/flag/go") }

    private func expectAllOnce(_ sandbox: Sandbox, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for service in ["first", "second", "gate", "last"] {
            #expect(try await sandbox.containers(service).count == 1, "\(service)", sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: ["SIGINT", "SIGTERM", "SIGKILL"])
    func `a start ended half way leaves a state from which the same command continues`(signal: String) async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(compose, spec: spec)
            let ended = try await sandbox.deployment("start") { running in
                try await eventually("the start waits for the gate") { try await sandbox.containers("gate").count == 1 }
                switch signal {
                case "SIGINT": running.interrupt()
                case "SIGTERM": running.terminate()
                default: running.killNow()
                }
            }
            #expect(ended.status == (signal == "SIGKILL" ? -9 : 130), "\(ended)")
            let password = try await sandbox.value(of: "PASSWORD", in: "first")
            try await sandbox.inside("first", "sh", "-c", "echo kept >/kept/file")
            let first = try await sandbox.containers("first")

            try open(sandbox)
            try await sandbox.mustDeployment("start")
            try await expectAllOnce(sandbox)
            #expect(try await sandbox.containers("first") == first, "what ran already runs on")
            #expect(try await sandbox.value(of: "PASSWORD", in: "first") == password)
            #expect(try await sandbox.inside("first", "cat", "/kept/file") == "kept")
        }
    }

    /// The processes that hold a container of the deployment, whether podman knows of it or not.
    private func keepers(_ sandbox: Sandbox) -> Int {
        commandLines().filter { $0.contains("conmon") && $0.contains(sandbox.namespace + "_") }.count
    }

    @Test(arguments: ["SIGKILL", "SIGHUP", "SIGTERM", "SIGTERM twice"])
    func `what ends so while it stops services that ignore SIGTERM leaves nothing behind, and nothing twice`(
        signal: String
    ) async throws {
        try await withSandbox { sandbox in
            let stubborn = """
                    image: IMAGE
                    command: ["sh", "-c", "trap '' TERM; while true; do sleep 1000; done"]
                    stop_grace_period: 1s

                """
            try await sandbox.create("services:\n  one:\n\(stubborn)  two:\n\(stubborn)")
            for verb in [["stop"], ["restart", "--force"]] {
                try await sandbox.mustDeployment("start")
                #expect(keepers(sandbox) == 2)
                _ = try await sandbox.so(["deployment", "--dir", sandbox.deployment] + verb) { running in
                    try await eventually("it is being stopped") {
                        // Without --all, podman lists only what runs.
                        try await Podman.lines("ps", "--all", "--format", "{{.State}} {{.Names}}").contains {
                            $0.lowercased().hasPrefix("stopping") && $0.contains(sandbox.namespace)
                        }
                    }
                    switch signal {
                    case "SIGKILL": running.killNow()
                    case "SIGHUP": running.send(signal: SIGHUP)
                    default:
                        running.terminate()
                        if signal.hasSuffix("twice") { running.terminate() }
                    }
                }
            }
            try await sandbox.mustDeployment("start")
            #expect(keepers(sandbox) == 2)
            for service in ["one", "two"] { #expect(try await sandbox.containers(service).count == 1, "\(service)") }
            try await sandbox.mustDeployment("stop")
            #expect(keepers(sandbox) == 0)
            #expect(try await Podman.named(sandbox.token) == [])
        }
    }

    /// Has podman 4.3 forget a container whose process goes on: one that a killed `podman stop` left in the state `stopping` is removed without
    /// being ended.
    private func forget(_ sandbox: Sandbox, _ service: String) async throws {
        let name = "\(sandbox.namespace)_\(service)_\(service)"
        _ = try await run("podman", ["stop", "-t", "100", name], environment: Podman.environment) { running in
            try await eventually("it is being stopped") {
                try await Podman.lines("inspect", "--format", "{{.State.Status}}", name) == ["stopping"]
            }
            running.killNow()
        }
        try await Podman.run(["pod", "rm", "--force", "--time", "0", "\(sandbox.namespace)_\(service)"])
    }

    @Test func `a container that podman has forgotten is ended by the next start, and by a stop`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(
                """
                services:
                  one:
                    image: IMAGE
                    command: ["sh", "-c", "trap '' TERM; while true; do sleep 1000; done"]
                    stop_grace_period: 1s
                """)
            try await sandbox.mustDeployment("start")
            try await forget(sandbox, "one")
            try #require(keepers(sandbox) == 1, "this podman forgets no container: there is nothing to test")
            let start = try await sandbox.mustDeployment("start")
            #expect(start.errors.contains("which podman had forgotten"), "\(start)")
            #expect(keepers(sandbox) == 1)
            #expect(try await sandbox.containers("one").count == 1)

            try await forget(sandbox, "one")
            let stop = try await sandbox.mustDeployment("stop")
            #expect(stop.errors.contains("which podman had forgotten"), "\(stop)")
            #expect(keepers(sandbox) == 0)
        }
    }

    @Test func `a service whose processes were killed behind podman's back runs again`()
        async throws
    {
        try await withSandbox { sandbox in
            try await sandbox.create("services:\n" + idle("app"))
            try await sandbox.mustDeployment("start")
            let name = "\(sandbox.namespace)_app_app"
            let pids = try await Podman.lines("inspect", "--format", "{{.State.ConmonPid}} {{.State.Pid}}", name)
            for pid in pids[0].split(separator: " ").compactMap({ Int32($0) }) { kill(pid, SIGKILL) }
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.inside("app", "echo", "here") == "here")
        }
    }

    @Test func `kill -9 at any moment of start, stop and update loses no secret and no data, and start converges`()
        async throws
    {
        try await withSandbox { sandbox in
            try await sandbox.create(compose, spec: spec)
            try open(sandbox)
            var password: String?
            var generator = SeededGenerator.ofTest()
            for round in 0..<8 {
                let verb = round % 3 == 2 ? "stop" : "start"
                // From before anything happens to when all is done; the last rounds see a deployment that exists. The pause is the
                // fault that is put in, not a wait for something.
                let moment = Int.random(in: 0...(round < 4 ? 1500 : 700), using: &generator)
                _ = try await sandbox.deployment(verb) { running in
                    try await Task.sleep(for: .milliseconds(moment))
                    running.killNow()
                }
                if round % 2 == 1 {
                    let update = [
                        "deploy", "create", "--update", "--spec-file", sandbox.specFile, "--deployment-dir",
                        sandbox.deployment,
                    ]
                    let pause = Int.random(in: 0...30, using: &generator)
                    _ = try await sandbox.so(update) { running in
                        try await Task.sleep(for: .milliseconds(pause))
                        running.killNow()
                    }
                }
                guard round % 4 == 3 else { continue }
                try await sandbox.mustDeployment("start")
                try await expectAllOnce(sandbox)
                let now = try await sandbox.value(of: "PASSWORD", in: "first")
                #expect(password == nil || password == now, "round \(round)")
                if password != nil {
                    #expect(try await sandbox.inside("first", "cat", "/kept/file") == "kept", "round \(round)")
                }
                password = now
                try await sandbox.inside("first", "sh", "-c", "echo kept >/kept/file")
            }
        }
    }

    @Test func `two starts at once both leave one deployment, or the second says who holds the lock`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(compose, spec: spec)
            try open(sandbox)
            async let one = sandbox.deployment("start")
            async let two = sandbox.deployment("start")
            let ends = [try await one, try await two]
            #expect(ends.contains { $0.succeeded }, "\(ends)")
            for end in ends where !end.succeeded {
                #expect(end.errors.contains("lock") || end.errors.contains("another"), "\(end)")
            }
            try await expectAllOnce(sandbox)
        }
    }

    @Test func `a stop during a start waits for it or says who holds the lock`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(compose, spec: spec)
            let started = try await sandbox.deployment("start") { _ in
                try await eventually("the start waits for the gate") { try await sandbox.containers("gate").count == 1 }
                let stopped = try await sandbox.deployment("stop") { _ in try open(sandbox) }
                if !stopped.succeeded { #expect(stopped.errors.contains("start"), "\(stopped)") }
            }
            #expect(started.succeeded, "\(started)")
            try await sandbox.mustDeployment("start")
            try await expectAllOnce(sandbox)
        }
    }

    @Test func `the lock of a dead process is taken over`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(compose, spec: spec)
            _ = try await sandbox.deployment("start") { running in
                try await eventually("the start waits for the gate") { try await sandbox.containers("gate").count == 1 }
                running.killNow()
            }
            try open(sandbox)
            try await sandbox.mustDeployment("start")
            try await expectAllOnce(sandbox)
        }
    }

    @Test func `a pod removed behind our back is made again, the others run on`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create("services:\n" + idle("app") + idle("other"))
            try await sandbox.mustDeployment("start")
            let (app, other) = (try await sandbox.containers("app"), try await sandbox.containers("other"))
            for id in app {
                let pod = try await Podman.lines("inspect", "--format", "{{.Pod}}", id)[0]
                try await Podman.run(pod.isEmpty ? ["rm", "-f", "-t", "0", id] : ["pod", "rm", "-f", "-t", "0", pod])
            }
            #expect(try await sandbox.containers("app") == [])
            let plan = try await sandbox.mustDeployment("plan").output
            #expect(plan.contains("app"), "\(plan)")
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.containers("app").count == 1)
            #expect(try await sandbox.containers("other") == other)
        }
    }

    @Test func `after a reboot, when every container is stopped, start brings all of it back with its data`()
        async throws
    {
        try await withSandbox { sandbox in
            try await sandbox.create(compose, spec: spec)
            try open(sandbox)
            try await sandbox.mustDeployment("start")
            let password = try await sandbox.value(of: "PASSWORD", in: "first")
            try await sandbox.inside("first", "sh", "-c", "echo kept >/kept/file")
            let running = try await Podman.lines("ps", "--format", "{{.Names}}").filter { $0.contains(sandbox.token) }
            for name in running { try await Podman.run(["kill", name]) }
            try await eventually("all have ended") { try await sandbox.containers("first") == [] }

            try await sandbox.mustDeployment("start")
            try await expectAllOnce(sandbox)
            #expect(try await sandbox.value(of: "PASSWORD", in: "first") == password)
            #expect(try await sandbox.inside("first", "cat", "/kept/file") == "kept")
        }
    }

    @Test func `a volume, network or pod that only looks like ours is left alone`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create("services:\n" + idle("app"))
            let stranger = "stranger-\(sandbox.token)"
            try await Podman.run(["volume", "create", stranger])
            try await Podman.run(["run", "--detach", "--name", stranger, sandbox.image, "sleep", "100000"])
            try await sandbox.mustDeployment("start")
            try await sandbox.mustDeployment("stop", "--delete-volumes")
            #expect(try await Podman.named(sandbox.token) == ["container \(stranger)", "volume \(stranger)"])
            await Podman.removeAll(named: stranger)
        }
    }
}
