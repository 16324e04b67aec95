import Deployments
import Workspaces
import YAML

extension Host {
    /// Clones a repository with its progress on the terminal.
    static func clone(_ clone: ProjectClone, global: GlobalOptions) async throws {
        if !global.quiet { Terminal.note("cloning into \(clone.directory)") }
        let authorities = try workspaces().authorityFile()
        try await clone.make(with: Host.deployments.host.git, authorities: authorities) { line in
            if global.verbose { Terminal.note(printable(line)) }
        }
    }
}
