import FoundationEssentials
import Orchestrator
import TestSupport
import Testing

@Suite struct CodePagesTests {
    private func resident() throws -> Int {
        let line = try #require(
            try read("/proc/self/status").split(separator: "\n").first { $0.hasPrefix("RssFile:") })
        return try #require(line.split(separator: " ").compactMap { Int($0) }.first)
    }

    @Test func `code that lies idle in memory is given back, and runs on`() throws {
        let before = try resident()
        #expect(CodePages.giveBack() > 1 << 20)
        #expect(try resident() < before)
        #expect(ReportMarker.isOwn(ReportMarker.text("task-1/progress")))
    }
}
