import ArgumentParser
import Compose
import YAML

/// `so yaml-to-json`, by which hooks in Python read YAML: the first document of standard input.
struct YAMLToJSON: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "yaml-to-json", shouldDisplay: false)

    func run() throws {
        let piped = try PipedInput(["-"])
        let documents = try piped.files.flatMap { try loadYAML(piped.tree.read($0), file: "standard input") }
        Terminal.output((documents.first ?? .plain("null")).json(pretty: false) + "\n")
    }
}
