import ExternalTools
import TestSupport
import Testing

/// What is raced against a time.
@Suite struct DeadlineTests {
    private struct Broken: Error {}

    @Test func `what ends within its time is returned, and its errors are thrown`() async throws {
        #expect(try await withDeadline(.seconds(3600)) { 7 } == 7)
        #expect(try await withDeadline(.seconds(3600)) { String?.none } == .some(nil))
        await #expect(throws: Broken.self) { try await withDeadline(.seconds(3600)) { throw Broken() } }
    }

    @Test func `what takes longer is cancelled, and its end is waited for`() async throws {
        let ends = AsyncStream.makeStream(of: Void.self)
        let value: Int? = try await withDeadline(.milliseconds(1)) {
            defer { ends.continuation.finish() }
            try await Task.sleep(for: .seconds(3600))
            return 7
        }
        #expect(value == nil)
        for await _ in ends.stream {}
    }

    @Test func `what comes to its end although its time is over counts`() async throws {
        let value = try await withDeadline(.milliseconds(1)) {
            while !Task.isCancelled { await Task.yield() }
            return 7
        }
        #expect(value == 7)
    }

    @Test func `a program that does not end within its time is ended`() async throws {
        let command = Command("sleep", ["3600"], host: hostEnvironment)
        #expect(try await command.result(within: .milliseconds(1)) == nil)
        let quick = Command("sh", ["-c", "exit 3"], host: hostEnvironment)
        #expect(try await quick.result(within: .seconds(3600))?.status == 3)
        let cancelled = Task { try await command.result(within: .seconds(3600)) }
        cancelled.cancel()
        let failure = await #expect(throws: CommandFailure.self) { try await cancelled.value }
        #expect(failure?.code == .cancelled)
    }
}
