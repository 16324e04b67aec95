import Testing

@testable import Deployments

@Suite struct DoctorTests {
    @Test func `what starts services again after a reboot is told with the command that sets it up`() {
        #expect(Doctor.reboot(.enabled, isRoot: true).outcome == .ok)
        #expect(Doctor.reboot(.disabled, isRoot: true).hint == "systemctl enable podman-restart.service")
        #expect(Doctor.reboot(.disabled, isRoot: false).hint?.contains("--user") == true)
        #expect(Doctor.reboot(.untilLogin, isRoot: false).hint == "loginctl enable-linger")
        #expect(Doctor.reboot(.absent, isRoot: true).hint?.contains("podman start --all") == true)
    }

    @Test func `low limits of file watches are told with the command that raises them`() {
        let low = Doctor.fileWatches([("max_user_watches", 8192, 524_288), ("max_user_instances", 512, 512)])
        #expect(low.outcome == .warning)
        #expect(low.hint?.contains("fs.inotify.max_user_watches=524288") ?? false)
        #expect(!(low.hint?.contains("max_user_instances") ?? true))
        #expect(Doctor.fileWatches([("max_user_watches", 524_288, 524_288)]).outcome == .ok)
        #expect(Doctor.fileWatches([("max_user_watches", nil, 1)]).outcome == .warning)
    }
}
