import CLinux
import Dispatch
import Glibc
import Subprocess
import Synchronization
import SystemPackage

/// A program at a terminal of its own: what it has shown, and keys for it.
package struct TestTerminal: Sendable {
    fileprivate let master: Int32
    fileprivate let shown: Shown

    /// All that was shown, escape sequences and all.
    package var text: String { shown.text }

    /// Types the text as a person would; `\r` is Return.
    package func type(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(master, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }

    /// Changes its size, which the program is told by SIGWINCH.
    package func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    /// The terminal goes away, as when its window is closed.
    package func hangUp() { shown.isOver.withLock { $0 = true } }
}

/// Collects what a terminal shows.
private final class Shown: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    let isOver = Mutex(false)
    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
    func add(_ more: ArraySlice<UInt8>) { bytes.withLock { $0 += more } }
}

/// Runs a program at a terminal of its own until it ends, and returns its exit code; `during` types and looks.
package func runAtTerminal(
    _ program: String, _ arguments: [String], environment: [String: String], directory: String, columns: UInt16 = 100,
    rows: UInt16 = 30, isolation: isolated (any Actor)? = #isolation, during: (TestTerminal) async throws -> Void
) async throws -> Int {
    let master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
    var name = [CChar](repeating: 0, count: 128)
    guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, ptsname_r(master, &name, UInt(name.count)) == 0
    else {
        throw NoTerminal()
    }
    let terminal = TestTerminal(master: master, shown: Shown())
    terminal.resize(columns: columns, rows: rows)
    read(master, into: terminal.shown)
    defer { terminal.hangUp() }
    // A session of its own, whose terminal this is: what a hang-up reaches.
    let configuration = Configuration(
        executable: .name("setsid"), arguments: Arguments(["--ctty", "--wait", program] + arguments),
        environment: .custom(
            Dictionary(
                uniqueKeysWithValues: environment.merging(["TERM": "xterm-256color"]) { $1 }.map {
                    (Environment.Key(stringLiteral: $0.key), $0.value)
                })), workingDirectory: FilePath(directory))
    func open() throws -> FileDescriptor {
        let slave = Glibc.open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw NoTerminal() }
        return FileDescriptor(rawValue: slave)
    }
    let result = try await Subprocess.run(
        configuration, input: .fileDescriptor(try open(), closeAfterSpawningProcess: true),
        output: .fileDescriptor(try open(), closeAfterSpawningProcess: true),
        error: .fileDescriptor(try open(), closeAfterSpawningProcess: true)
    ) { _ in
        try await during(terminal)
    }
    return switch result.terminationStatus {
    case .exited(let code): Int(code)
    case .signaled(let signal): -Int(signal)
    }
}

/// Reads the terminal on a thread of its own until it is over, and closes it: nobody else may, for a closed number is soon another file's.
private func read(_ master: Int32, into shown: Shown) {
    DispatchQueue.global().async {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while !shown.isOver.withLock({ $0 }) {
            var descriptor = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, 20) > 0 else { continue }
            let count = Glibc.read(master, &buffer, buffer.count)
            if count > 0 { shown.add(buffer[..<count]) } else { poll(nil, 0, 20) }
        }
        close(master)
    }
}

private struct NoTerminal: Error {}

extension Sandbox {
    /// Runs `so` at a terminal of its own.
    package func soAtTerminal(
        _ arguments: [String], directory: String, columns: UInt16 = 100, rows: UInt16 = 30,
        during: (TestTerminal) async throws -> Void
    ) async throws -> Int {
        try await runAtTerminal(
            Self.binary, arguments, environment: environment, directory: directory, columns: columns, rows: rows,
            during: during)
    }
}
