import Glibc
import Workspaces
import YAML

/// Asks the questions of a wizard at a terminal, one after the other: arrow keys, space, return; escape goes back.
struct WizardScreen {
    var wizard: Wizard
    var global: GlobalOptions
    private let colors: Bool

    init(wizard: Wizard, global: GlobalOptions) {
        self.wizard = wizard
        self.global = global
        colors = Terminal.hasColor(global, descriptor: STDERR_FILENO)
    }

    /// - Returns: the answers as a document with the keys of workspace.yml.
    /// - Throws: ``Interrupted`` for Control-C: nothing is written then.
    func answers() throws -> Node {
        let keys = try RawTerminal()
        defer { keys.restore() }
        var answers: [Wizard.Answer] = []
        while answers.count < wizard.questions.count {
            var field = WizardField(wizard.questions[answers.count])
            var shown = 0
            var isBack = false
            ask: while true {
                let lines = field.lines(
                    number: answers.count + 1, of: wizard.questions.count, height: Terminal.height, colors: colors)
                Terminal.error(Self.rewind(shown) + lines.map { Terminal.fitted($0) + "\r\n" }.joined())
                shown = lines.count
                switch try keys.next() {
                case .interrupt: throw Interrupted()
                case .escape where !answers.isEmpty:
                    isBack = true
                    break ask
                case let key:
                    if field.take(key) { break ask }
                }
            }
            Terminal.error(Self.rewind(shown))
            if isBack {
                answers.removeLast()
                continue
            }
            Terminal.error(Terminal.fitted("\(wizard.questions[answers.count].text) \(style(field.summary))") + "\r\n")
            answers.append(field.answer)
        }
        return wizard.document(answers)
    }

    private func style(_ text: String) -> String { colors ? "\u{1B}[36m\(text)\u{1B}[0m" : text }

    /// Back over the lines that were shown, which are cleared.
    private static func rewind(_ lines: Int) -> String { lines == 0 ? "" : "\u{1B}[\(lines)A\r\u{1B}[J" }
}

/// A key as a terminal sends it: https://invisible-island.net/xterm/ctlseqs/ctlseqs.html
enum Key: Hashable {
    case up, down, pageUp, pageDown, enter, space, backspace, escape, interrupt
    case character(Character)
    case other
}

/// The terminal of standard input, byte by byte and without echo, until it is restored.
struct RawTerminal {
    private let saved: termios

    init() throws {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
            throw WorkspaceError(.unavailable, "the terminal cannot be read", hint: "answer by flags, or --yes")
        }
        saved = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
        Terminal.error("\u{1B}[?25l")
    }

    func restore() {
        var settings = saved
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
        Terminal.error("\u{1B}[?25h")
    }

    /// Waits for a key. The end of the input is an interrupt: the terminal is gone.
    func next() throws -> Key {
        guard let byte = Self.byte() else { return .interrupt }
        switch byte {
        case 3, 4: return .interrupt
        case 10, 13: return .enter
        case 32: return .space
        case 8, 127: return .backspace
        case 27: return Self.sequence()
        case 0..<32: return .other
        default: return Self.character(byte)
        }
    }

    private static func byte() -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count == 1 { return byte }
            if count < 0, errno == EINTR { continue }
            return nil
        }
    }

    /// A key's bytes come together; an escape alone has none behind it.
    private static func sequence() -> Key {
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, 50) == 1, let open = byte(), open == 0x5B || open == 0x4F else { return .escape }
        var bytes: [UInt8] = []
        while let byte = byte() {
            bytes.append(byte)
            if (0x40...0x7E).contains(byte) { break }
        }
        switch bytes {
        case [0x41]: return .up
        case [0x42]: return .down
        case [0x35, 0x7E]: return .pageUp
        case [0x36, 0x7E]: return .pageDown
        default: return .other
        }
    }

    private static func character(_ first: UInt8) -> Key {
        let count = first < 0x80 ? 0 : first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1
        var bytes = [first]
        for _ in 0..<count { if let byte = byte() { bytes.append(byte) } }
        return String(decoding: bytes, as: UTF8.self).first.map { .character($0) } ?? .other
    }
}
