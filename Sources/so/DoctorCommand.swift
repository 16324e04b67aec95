import ArgumentParser

/// `so doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "doctor", abstract: "Check this host.")
    @OptionGroup var global: GlobalOptions
    func run() async throws {}
}
