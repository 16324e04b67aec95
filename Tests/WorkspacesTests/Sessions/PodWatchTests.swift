import TestSupport
import Testing

@testable import Workspaces

/// What process 1 of a pod does while it waits, run by the shell of this host.
@Suite struct PodWatchTests {
    /// The end of the watch whose probe prints this.
    private func watched(_ answer: String, idle: Int?) async throws -> Finished {
        try await withTemporaryDirectory("so-watch") { directory in
            try write(
                "#!/bin/sh\necho \"$*\" >>\(directory)/asked\necho '\(answer)'\n", to: directory + "/asker", mode: 0o755
            )
            let gate = [directory + "/asker", "gate", "10.0.0.2:8080", "1.1.1.1:443", "dns:x"]
            var watch = PodWatch(idleSeconds: idle, gate: gate, probeSeconds: 1)
            // Processes of this host without a parent in sight are no commands in a pod.
            (watch.processes, watch.terminals) = (directory, directory)
            let script = "run=\(directory)\n" + watch.script(isBusy: "false", end: "echo ended")
            let finished = try await run("sh", ["-c", script], environment: ["PATH": "/usr/bin:/bin"])
            let asked = exists(directory + "/asked") ? try read(directory + "/asked") : ""
            #expect(asked.isEmpty || asked.hasPrefix("probe closed 1.1.1.1:443 dns:x\n"), "\(asked)")
            return finished
        }
    }

    @Test func `a pod that reaches more than its egress is ended, and says what it reached`() async throws {
        let open = try await watched("open 1.1.1.1:443", idle: nil)
        #expect(open.status == PodWatch.isOpen && open.output == "ended\n", "\(open)")
        #expect(open.errors.contains("reaches more than its egress") && open.errors.contains("open 1.1.1.1:443"))
    }

    @Test func `one that does not goes on until it is idle`() async throws {
        let closed = try await watched("closed 1.1.1.1:443", idle: 3)
        #expect(closed.status == 0 && closed.output == "ended\n" && closed.errors == "", "\(closed)")
    }
}
