import ArgumentParser

/// How long services may take to end.
struct GraceOption: ParsableArguments {
    @Option(
        name: [.customShort("t"), .long],
        help: ArgumentHelp(
            "Seconds to wait for services to end before they are killed (default: each one's stop_grace_period).",
            valueName: "seconds"))
    var timeout: Int?

    /// The option as another command takes it.
    var arguments: [String] { timeout.map { ["--timeout", "\($0)"] } ?? [] }
}
