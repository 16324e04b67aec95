import ArgumentParser

/// A verb on the compose project, stack or deployment that one stands in.
protocol ProjectVerb: AsyncParsableCommand {
    /// Whether `-f` behind the verb names a compose file; it does not where the verb has a `-f` of its own.
    static var takesFileLetter: Bool { get }
}

extension ProjectVerb {
    static var takesFileLetter: Bool { true }
}

/// The options of ``PlaceOptions`` that take a value.
let projectValueOptions: Set<String> = [
    "--file", "--project-name", "--project-directory", "--profile", "--env-file", "--dir", "--stack",
    "--ansi", "--progress", "--parallel",
]
