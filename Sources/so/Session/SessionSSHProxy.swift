import ArgumentParser
import Glibc
import Workspaces

/// `so session ssh-proxy`, which ssh runs.
struct SessionSSHProxy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ssh-proxy", abstract: "Connect ssh with a session, on standard input and output.",
        shouldDisplay: false)

    @Argument(help: "The session's id.")
    var session: String

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let service = try Host.sessions()
        Interrupts.beginFollowing()
        let status = try await service.proxySSH(
            try service.store.find(session, project: nil), on: .ofThisProcess)
        if status != 0 { throw ExitCode(Int32(truncatingIfNeeded: status)) }
    }
}

extension Host {
    /// The absolute path of this very program.
    static var program: String {
        get throws {
            guard let path = realpath("/proc/self/exe", nil) else {
                throw WorkspaceError(
                    .unavailable, "the path of the so executable is not known", hint: "is /proc mounted?")
            }
            defer { free(path) }
            return String(cString: path)
        }
    }
}
