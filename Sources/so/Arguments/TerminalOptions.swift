import ArgumentParser
import Glibc

/// Whether a command gets a terminal: where there is one, unless it is declined.
struct TerminalOptions: ParsableArguments {
    @Flag(name: [.customShort("T"), .customLong("no-tty")], help: "Give the command no terminal.")
    var isDeclined = false

    @Flag(name: [.customShort("i"), .customLong("interactive")], help: .hidden)
    var interactive = false

    @Flag(name: [.customShort("t"), .customLong("tty")], help: .hidden)
    var tty = false

    var isWanted: Bool { !isDeclined && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }
}
