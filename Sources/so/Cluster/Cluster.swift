import ArgumentParser

/// `so cluster …`: the one kind cluster of this host.
struct Cluster: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Create, inspect or destroy the kind cluster that this host's deployments share.",
        subcommands: [ClusterStatusCommand.self, ClusterCreate.self, ClusterDestroy.self],
        defaultSubcommand: ClusterStatusCommand.self)
}

struct ClusterOptions: ParsableArguments {
    @Option(help: "The cluster's name (default: the one that there is, else so).")
    var name: String?

    func validate() throws {
        guard let name else { return }
        let isValid =
            !name.isEmpty
            && name.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
            }
        if !isValid { throw ValidationError("invalid name for a kind cluster `\(name)`: a-z, 0-9, `.` and `-`") }
    }
}
