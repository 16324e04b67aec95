import ArgumentParser

/// How long services may take to end.
struct GraceOption: ParsableArguments {
    @Option(
        name: [.customShort("t"), .long],
        help: ArgumentHelp("Seconds to let services end, instead of each one's own.", valueName: "seconds"))
    var timeout: Int?

    /// The option as another command takes it.
    var arguments: [String] { timeout.map { ["--timeout", "\($0)"] } ?? [] }
}
