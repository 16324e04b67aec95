import ArgumentParser

/// Global options of docker compose that are taken, and that change nothing here. `--ansi never` is `--no-color`: see ``ArgumentOrder``.
struct OptionsWithoutEffect: ParsableArguments {
    /// When control characters are written.
    enum Characters: String, ExpressibleByArgument, CaseIterable {
        case never, always, auto
    }

    /// How progress is shown: a terminal decides that here.
    enum Form: String, ExpressibleByArgument, CaseIterable {
        case auto, tty, plain, json, quiet
    }

    @Option(help: .hidden)
    var ansi: Characters?

    @Option(help: .hidden)
    var progress: Form?

    @Option(help: .hidden)
    var parallel: Int?

    @Flag(help: .hidden)
    var compatibility = false

    @Flag(help: .hidden)
    var allResources = false
}
