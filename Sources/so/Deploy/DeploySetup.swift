import ArgumentParser
import Deployments
import Stacks
import YAML

/// `so deploy setup`.
struct DeploySetup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Run the stack's setup hooks, which prepare what a deployment needs.",
        discussion: """
            An executable hooks/setup gets the arguments behind `--`. The function setup of stack-orchestrator's deploy/commands.py gets \
            these options too. Hooks are the stack author's programs: read them first.
            """)

    @OptionGroup var stackOption: StackOption

    @Option(help: "The node's name.") var nodeMoniker: String?
    @Option(help: "The new chain's id.") var chainId: String?
    @Option(help: "The name of the new node's key.") var keyName: String?
    @Option(help: "Other nodes' gentx files, comma-separated.") var gentxFiles: String?
    @Option(help: "Validators' addresses, comma-separated.") var gentxAddresses: String?
    @Option(help: "The network's genesis file.") var genesisFile: String?
    @Flag(help: "The phase that initializes a network.") var initializeNetwork = false
    @Flag(help: "The phase that joins one.") var joinNetwork = false
    @Flag(help: "The phase that connects to one.") var connectNetwork = false
    @Flag(help: "The phase that creates one.") var createNetwork = false
    @Option(help: "The directory of the network's files.") var networkDir: String?

    @OptionGroup var global: GlobalOptions

    @Argument(help: "Arguments for the hooks.")
    var arguments: [String] = []

    func run() async throws {
        let stack = try Host.resolver().resolve(stackOption.stack)
        if global.dryRun {
            return try Host.deployments.setupHooks(of: stack).forEach { Terminal.output("run      \($0)\n") }
        }
        let progress = Progress(global: global)
        try await Host.deployments.setUp(stack, arguments: arguments, options: parameters) { progress.handle($0) }
    }

    private var parameters: [(String, Node)] {
        let texts = [
            ("chain_id", chainId), ("node_moniker", nodeMoniker), ("key_name", keyName),
            ("gentx_file_list", gentxFiles),
            ("gentx_address_list", gentxAddresses), ("genesis_file", genesisFile), ("network_dir", networkDir),
        ]
        let flags = [
            ("initialize_network", initializeNetwork), ("join_network", joinNetwork),
            ("connect_network", connectNetwork), ("create_network", createNetwork),
        ]
        return texts.compactMap { name, value in value.map { (name, .string($0)) } }
            + flags.map { ($0.0, .plain($0.1 ? "true" : "false")) }
    }
}
