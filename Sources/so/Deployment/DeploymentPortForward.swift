import ArgumentParser
import Deployments
import Runtimes

/// `so deployment port-forward`.
struct DeploymentPortForward: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "port-forward",
        abstract: "Forward a port of 127.0.0.1 to a port of a running service in a cluster.",
        discussion: "It runs until it is interrupted.")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var global: GlobalOptions

    @Argument(help: "The service.")
    var service: String

    @Argument(help: "The ports: <host port>:<container port>, or one number for both.")
    var ports: String

    func run() async throws {
        let numbers = ports.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard (1...2).contains(numbers.count), numbers.allSatisfy({ $0.map { (1...65535).contains($0) } ?? false }),
            let host = numbers.first ?? nil, let port = numbers.last ?? nil
        else { throw ValidationError("invalid ports `\(ports)`: write 8080:80, or 80") }
        let deployment = try Host.read(directory, global: global)
        if global.dryRun { return Terminal.output("forward 127.0.0.1:\(host) to port \(port) of \(service)\n") }
        let request = ForwardRequest(service: service, hostPort: host, port: port)
        let status = try await deployment.handle.forward(request) { Terminal.note($0.text(port, of: service)) }
        if status != 0 { throw ExitCode(Int32(truncatingIfNeeded: status)) }
    }
}

extension ForwardEvent {
    func text(_ port: Int, of service: String) -> String {
        switch self {
        case .listening(let address, let own): "forwarding \(address):\(own) to port \(port) of \(service)"
        case .message(let line): line
        }
    }
}
