import ArgumentParser
import YAML

/// `so manual`.
struct Manual: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual", abstract: "Print the man page of so and all its commands.",
        discussion: "To read it: so manual | man -l -. To install it: so manual > /usr/local/share/man/man1/so.1")

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let description = Array(So._dumpHelp().utf8)
        let tool = try loadYAMLDocument(description, file: "the description of so's arguments")
        Terminal.output(ManualPage(tool: tool).text)
    }
}
