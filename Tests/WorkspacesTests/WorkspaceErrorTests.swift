import Glibc
import Runtimes
import Testing

@testable import Workspaces

@Suite struct WorkspaceErrorTests {
    @Test func `an error says what failed, why, and on a line of its own how to fix it`() {
        let error = WorkspaceError(
            .missing, "no session `s-1`", cause: "no such record", hint: "list them with `so session ls`")
        #expect(error.description == "no session `s-1`: no such record\nhint: list them with `so session ls`")
    }

    @Test(arguments: [ENOSPC, EDQUOT]) func `a disk without room is told with what to do`(_ number: Int32) {
        let error = DeploymentError(errno: number, "cannot write /state/so/sessions/s-1.json")
        #expect(error.code == .cannotCreate && error.hint?.hasPrefix("free disk space") == true)
    }
}
