import Testing

@testable import Runtimes

/// Which lines of a log the container has written.
@Suite struct TimedLineTests {
    @Test(arguments: [
        ("2026-11-21T20:53:30.123456789Z hello  world", "hello  world"), ("2026-11-21T20:53:30Z ", ""),
        ("2026-11-21T20:53:30Z", ""), ("2026-11-21T20:53:30.1+02:00 a", "a"),
    ])
    func `a line with its time is the container's`(_ line: String, _ text: String) throws {
        #expect(try #require(TimedLine(line)).text == text)
    }

    @Test(arguments: [
        // As recorded: Tests/KubernetesTestSupport/Recordings/jobs-logs-delete.http.
        "unable to retrieve container logs for containerd://119cffa2510a944c0b374450a50d64995cb8c103ad6d0a6165c3916edab9f9a7",
        "", "20:53:30 hello", "failed to try resolving symlinks in path",
    ])
    func `a line without a time is the kubelet's own`(_ line: String) {
        #expect(TimedLine(line) == nil)
    }
}
