import ExternalTools
import Glibc
import Synchronization
import YAML

/// The terminal: stdout carries results, stderr carries progress and diagnostics.
enum Terminal {
    /// Whether stderr is a terminal, so that progress can be live.
    static var isLive: Bool { isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb" }

    /// Whether stdout takes colours.
    static func hasColor(_ global: GlobalOptions, descriptor: Int32 = STDOUT_FILENO) -> Bool {
        !global.noColor && (environment("NO_COLOR") ?? "").isEmpty && isatty(descriptor) == 1
            && environment("TERM") != "dumb"
    }

    /// The width of the terminal behind stderr, in columns.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 100 }
        return Int(size.ws_col)
    }

    /// The height of the terminal behind stderr, in lines.
    static var height: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
        return Int(size.ws_row)
    }

    /// The line cut to the terminal's width, escape sequences not counted: a wrapped line could not be rewritten.
    static func fitted(_ line: String) -> String {
        var left = width - 1
        var inEscape = false
        var result = ""
        for character in line {
            if character == "\u{1B}" { inEscape = true }
            if inEscape {
                result.append(character)
                if character.isLetter { inEscape = false }
            } else if left > 0 {
                result.append(character == "\n" ? " " : character)
                left -= 1
            }
        }
        return result
    }

    /// Writes one line to stderr. Much of what is said comes from stacks and servers: nothing of it acts on the terminal.
    static func note(_ line: String) {
        error(printable(line) + "\n")
    }

    /// Writes text to stderr as it is, with the sequences that move the cursor and colour.
    static func error(_ text: String) {
        write(text, to: STDERR_FILENO)
    }

    /// Writes text to stdout; like ``note(_:)``, nothing of it acts on the terminal.
    static func output(_ text: String) {
        write(printable(text), to: STDOUT_FILENO)
    }

    /// Writes what a program of the deployment wrote, as it wrote it.
    static func passOn(_ text: String) {
        write(text, to: STDOUT_FILENO)
    }

    /// A variable of the operator's environment.
    static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }
}

/// Counts from one, from any thread.
final class Counter: Sendable {
    private let value = Mutex(0)

    /// The next number.
    func next() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}

extension CommandStreams {
    /// The streams and the terminal that `so` itself has.
    static var ofThisProcess: CommandStreams {
        CommandStreams(files: StreamFiles(input: STDIN_FILENO, output: STDOUT_FILENO, error: STDERR_FILENO))
    }
}
