import ArgumentParser
import Compose
import Deployments
import Runtimes
import Specs
import YAML

/// `so deployment secrets import`.
struct DeploymentSecretsImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Give generated secrets values that exist already, such as those of a former deployment.",
        discussion: """
            Values come from standard input for one secret, or from a file of NAME=VALUE lines for several; never from the command line, \
            which other users of the host can see. A secret that has a value keeps it, unless --replace is given.
            """)

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var global: GlobalOptions

    @Option(name: .customLong("from-file"), help: "A file of NAME=VALUE lines.")
    var fromFile: String?

    @Flag(help: "Replace values that exist. Data that they guard may become unreadable.")
    var replace = false

    @Flag(help: "Only write the values; the next start rolls what uses them.")
    var noStart = false

    @Argument(help: "The secret whose value standard input holds.")
    var name: String?

    func validate() throws {
        guard (name == nil) != (fromFile == nil) else {
            throw ValidationError("give either the name of one secret, its value on standard input, or --from-file")
        }
    }

    func run() async throws {
        let values = try values()
        if global.dryRun { return values.keys.sorted().forEach { Terminal.output("import   secret   \($0)\n") } }
        let deployment = try directory.open()
        let progress = Progress(global: global)
        let result = try await Host.deployments.importSecrets(
            values, into: deployment, replaces: replace, starts: !noStart
        ) { progress.handle($0) }
        if let result { Terminal.note(rolled: result, global: global) }
    }

    private func values() throws -> [String: String] {
        guard let fromFile else {
            let name = name ?? ""
            // A line feed at the end is the terminal's or the editor's, not the secret's.
            var bytes = PipedInput.standardInput()
            while let last = bytes.last, [UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(last) { bytes.removeLast() }
            guard let text = String(validating: bytes, as: UTF8.self) else { throw Self.notText("standard input") }
            return [name: text]
        }
        let path = Files.absolute(fromFile)
        guard Files.exists(path) else {
            throw DeploymentError(.missing, "no file \(path)", hint: "correct the path of --from-file")
        }
        guard String(validating: try Files.read(path), as: UTF8.self) != nil else { throw Self.notText(path) }
        var diagnostics = Diagnostics()
        let lines = readEnvironmentFile(path, scope: VariableScope(), tree: .disk, diagnostics: &diagnostics)
        try diagnostics.throwIfErrors()
        return Dictionary(lines.map { ($0.key, $0.value.value) }) { $1 }
    }

    private static func notText(_ source: String) -> DeploymentError {
        DeploymentError(
            .cannotCreate, "\(source) is not UTF-8: the value would be altered; nothing was imported",
            hint: "encode it, for example with base64")
    }
}
