import ArgumentParser
import Deployments

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
        let status = try await deployment.handle.forward(service, hostPort: host, port: port)
        if status != 0 { throw ExitCode(Int32(truncatingIfNeeded: status)) }
    }
}
