import ExternalTools
import FoundationEssentials
import TestSupport
import Testing

@Suite struct HostProcessTests {
    @Test func `whoever waits for a process goes on when it has ended, or when the time is over`() async throws {
        let environment = ProcessInfo.processInfo.environment
        let ended = try await run("/bin/sleep", ["1000"], environment: environment) { running in
            let number = running.processIdentifier
            #expect(HostProcess.runs(number) && !HostProcess.hasEnded("\(number)"))
            #expect(await !HostProcess.awaitEnd(of: number, within: .milliseconds(1)))
            async let end = HostProcess.awaitEnd(of: number, within: .seconds(600))
            running.killNow()
            let hasEnded = await end
            #expect(hasEnded && HostProcess.hasEnded("\(number)"))
        }
        #expect(ended.status == -9)
    }

    @Test func `a cancelled wait is over at once, and one for a process that was never there`() async throws {
        let environment = ProcessInfo.processInfo.environment
        _ = try await run("/bin/sleep", ["1000"], environment: environment) { running in
            let number = running.processIdentifier
            let wait = Task { await HostProcess.awaitEnd(of: number, within: .seconds(600)) }
            wait.cancel()
            #expect(await !wait.value)
            running.killNow()
        }
        #expect(await HostProcess.awaitEnd(of: Int32.max, within: .seconds(600)))
        #expect(!HostProcess.hasEnded("no number"))
    }
}
