import TestSupport
import Testing

@testable import Workspaces

/// What process 1 of a pod does while it waits, run by the shell of this host.
@Suite struct PodWatchTests {
    /// The end of the watch whose probe prints this.
    ///
    /// - Parameters:
    ///   - begun: how often the probe is asked until the pod's bringing up has ended.
    ///   - limit: in seconds: for how long it may take before it is taken for killed.
    private func watched(
        _ answer: String, idle: Int?, begun: Int = 1, limit: Int = 3600
    ) async throws -> (end: Finished, asked: Int) {
        try await withTemporaryDirectory("so-watch") { directory in
            let asker = """
                #!/bin/sh
                echo "$*" >>\(directory)/asked
                [ $(wc -l <\(directory)/asked) -ne \(begun) ] || : >\(directory)/up
                echo '\(answer)'

                """
            try write(asker, to: directory + "/asker", mode: 0o755)
            let gate = [directory + "/asker", "gate", "10.0.0.2:8080", "1.1.1.1:443", "dns:x"]
            var watch = PodWatch(idleSeconds: idle, gate: gate, probeSeconds: 1)
            // Processes of this host without a parent in sight are no commands in a pod.
            (watch.processes, watch.terminals, watch.bringUpSeconds) = (directory, directory, limit)
            let script = "run=\(directory)\n" + watch.script(isBusy: "false", end: "echo ended")
            let finished = try await run("sh", ["-c", script], environment: ["PATH": "/usr/bin:/bin"])
            let asked = exists(directory + "/asked") ? try read(directory + "/asked") : ""
            #expect(asked.isEmpty || asked.hasPrefix("probe closed 1.1.1.1:443 dns:x\n"), "\(asked)")
            return (finished, asked.split(separator: "\n").count)
        }
    }

    @Test func `a pod that reaches more than its egress is ended, and says what it reached`() async throws {
        let open = try await watched("open 1.1.1.1:443", idle: nil).end
        #expect(open.status == PodWatch.isOpen && open.output == "ended\n", "\(open)")
        #expect(open.errors.contains("reaches more than its egress") && open.errors.contains("open 1.1.1.1:443"))
    }

    @Test func `one that does not goes on until it is idle`() async throws {
        let closed = try await watched("closed 1.1.1.1:443", idle: 3).end
        #expect(closed.status == 0 && closed.output == "ended\n" && closed.errors == "", "\(closed)")
    }

    @Test func `nobody is idle in a pod that is still being brought up, unless whoever did that was killed`()
        async throws
    {
        let slow = try await watched("closed 1.1.1.1:443", idle: 1, begun: 5)
        #expect(slow.end.output == "ended\n" && slow.asked >= 5, "\(slow)")
        let killed = try await watched("closed 1.1.1.1:443", idle: 1, begun: .max, limit: 2)
        #expect(killed.end.output == "ended\n", "\(killed)")
    }
}
