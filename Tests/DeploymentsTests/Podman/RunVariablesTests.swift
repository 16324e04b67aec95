import Glibc
import TestSupport
import Testing

@testable import Runtimes

@Suite struct RunVariablesTests {
    @Test func `variables that a killed run left go, those of a run that lives stay`() async throws {
        try await withTemporaryDirectory { directory in
            let ended = try await run("/bin/sh", ["-c", "echo $$"], environment: [:])
            let gone = try #require(pid_t(ended.output.trimmingCharacters()))
            let left = RunVariables.file(of: gone, in: directory)
            let own = RunVariables.file(of: getpid(), in: directory)
            for file in [left, own, directory + "/run-mine.env"] { try write("TOKEN=secret\n", to: file) }
            RunVariables.removeAbandoned(in: directory)
            #expect(!exists(left))
            #expect(exists(own) && exists(directory + "/run-mine.env"))
        }
    }
}
