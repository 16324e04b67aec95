import Testing

@testable import Deployments

@Suite struct DoctorTests {
    @Test func `low limits of file watches are told with the command that raises them`() {
        let low = Doctor.fileWatches([("max_user_watches", 8192, 524_288), ("max_user_instances", 512, 512)])
        #expect(low.outcome == .warning)
        #expect(low.hint?.contains("fs.inotify.max_user_watches=524288") ?? false)
        #expect(!(low.hint?.contains("max_user_instances") ?? true))
        #expect(Doctor.fileWatches([("max_user_watches", 524_288, 524_288)]).outcome == .ok)
        #expect(Doctor.fileWatches([("max_user_watches", nil, 1)]).outcome == .warning)
    }
}
