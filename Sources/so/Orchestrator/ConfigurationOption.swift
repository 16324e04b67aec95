import ArgumentParser
import Orchestrator
import Runtimes

/// The configuration that a command is about.
struct ConfigurationOption: ParsableArguments {
    @Option(name: .customLong("config"), help: ArgumentHelp("The configuration file.", valueName: "file"))
    var file = "orchestrator.yml"

    func load() throws -> Configuration {
        try Configuration.load(file, workingDirectory: Host.workingDirectory)
    }
}

/// The server that a command asks.
struct ServerOption: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOption

    @Option(help: "The server's address (default: that of the configuration).")
    var url: String?

    @Option(
        help: ArgumentHelp(
            "The file that holds the administrator's token (default: administrator.token of the state directory).",
            valueName: "file"))
    var tokenFile: String?

    /// A client of the server. On the server's own host it is asked where it listens.
    func client() throws -> OrchestratorClient {
        guard let url, let tokenFile else {
            let loaded = try configuration.load()
            let host = ["0.0.0.0", "::"].contains(loaded.listen.host) ? "127.0.0.1" : loaded.listen.host
            let address = host.contains(":") ? "[\(host)]" : host
            return OrchestratorClient(
                url: url ?? "http://\(address):\(loaded.listen.port)",
                token: try token(
                    tokenFile ?? loaded.administratorTokenFile ?? "\(loaded.stateDirectory)/administrator.token"))
        }
        return OrchestratorClient(url: url, token: try token(tokenFile))
    }

    private func token(_ path: String) throws -> String {
        guard let bytes = try Files.readIfPresent(Files.absolute(path)) else {
            throw OrchestratorError(
                .missing, "the administrator's token \(path) does not exist",
                hint: "so orchestrator serve makes it at its first start; elsewhere name a copy with --token-file")
        }
        return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
    }
}
