import ArgumentParser

struct DeployInit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "init", abstract: "Write a spec.")
    @OptionGroup var global: GlobalOptions
    func run() async throws {}
}
