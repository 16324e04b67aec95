import ArgumentParser
import Workspaces

/// `so session forward`.
struct SessionForward: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forward",
        abstract: "Forward a port of 127.0.0.1 to a port of the agent's pod in a cluster.",
        discussion:
            "It runs until it is interrupted. On podman, `so session url` says where the ports of workspace.yml answer."
    )

    @Argument(help: "The session's id, or the beginning of one.")
    var session: String

    @Argument(help: "The ports: <host port>:<port in the pod>, or one number for both.")
    var ports: String

    @OptionGroup var place: ProjectDirectory
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let numbers = ports.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard (1...2).contains(numbers.count), numbers.allSatisfy({ $0.map { (1...65535).contains($0) } ?? false }),
            let host = numbers.first ?? nil, let port = numbers.last ?? nil
        else { throw ValidationError("invalid ports `\(ports)`: write 8080:80, or 80") }
        let (service, record) = try await Host.session(session, place: place)
        if global.dryRun { return Terminal.output("forward 127.0.0.1:\(host) to port \(port) of \(record.id)\n") }
        Interrupts.beginFollowing()
        let status = try await service.forward(record, hostPort: host, port: port) {
            Terminal.note($0.text(port, of: record.id.description))
        }
        if status != 0 { throw ExitCode(Int32(truncatingIfNeeded: status)) }
    }
}
