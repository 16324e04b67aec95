import ArgumentParser

/// `so version`.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the version.")

    @OptionGroup var global: GlobalOptions

    func run() {
        print(Version.description)
    }
}
