import ArgumentParser
import Glibc

/// A secret that a user hands over: never an argument, which everybody on the host can read.
enum SecretInput {
    /// Reads standard input, or asks at the terminal without showing what is typed; without the line break at its end.
    static func read(_ name: String) async throws -> String {
        guard isatty(STDIN_FILENO) == 1 else {
            let text = String(decoding: PipedInput.standardInput(), as: UTF8.self)
            return text.hasSuffix("\n") ? String(text.dropLast()) : text
        }
        Terminal.note("\(name) (not shown):")
        var shown = termios()
        guard tcgetattr(STDIN_FILENO, &shown) == 0 else {
            throw ValidationError("this terminal cannot hide what is typed: pipe it in")
        }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown) }
        return try await TerminalLine.read() ?? ""
    }
}
