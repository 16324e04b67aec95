import ArgumentParser

/// `--wait-timeout`.
struct WaitLimit: ParsableArguments {
    @Option(
        name: .customLong("wait-timeout"),
        help: ArgumentHelp("Fail if not everything is ready after this time; what runs stays.", valueName: "seconds"))
    var seconds: Int?

    func validate() throws {
        if let seconds, seconds < 1 { throw ValidationError("--wait-timeout takes a number from 1") }
    }
}
