/// How a secret's name is written into a text.
///
/// The scalars stand in plane 16, where nobody assigns meaning; an input that holds one of them is refused.
enum Placeholder {
    static let open: Unicode.Scalar = "\u{10FF50}"
    static let close: Unicode.Scalar = "\u{10FF51}"
    /// What every scalar of U+10FF40…U+10FF7F begins with in UTF-8.
    private static let prefix: [UInt8] = [0xF4, 0x8F, 0xBD]

    /// Whether a text holds a placeholder or a part of one.
    static func isIn(_ text: String) -> Bool { isIn(text.utf8) }

    /// Whether bytes hold a placeholder or a part of one.
    static func isIn(_ bytes: some Sequence<UInt8>) -> Bool {
        var matched = 0
        for byte in bytes {
            if matched == 3 {
                if byte == 0x90 || byte == 0x91 { return true }
                matched = 0
            }
            matched = byte == prefix[matched] ? matched + 1 : (byte == prefix[0] ? 1 : 0)
        }
        return false
    }

    static func split(_ text: String) -> [TemplateText.Piece] {
        guard !text.isEmpty else { return [] }
        guard isIn(text) else { return [.text(text)] }
        var pieces: [TemplateText.Piece] = []
        var current = String.UnicodeScalarView()
        func flush(into pieces: inout [TemplateText.Piece]) {
            if !current.isEmpty { pieces.append(.text(String(current))) }
            current = String.UnicodeScalarView()
        }
        for scalar in text.unicodeScalars {
            switch scalar {
            case open: flush(into: &pieces)
            case close:
                pieces.append(.secret(String(current)))
                current = String.UnicodeScalarView()
            default: current.append(scalar)
            }
        }
        flush(into: &pieces)
        return pieces
    }

    static func join(_ pieces: [TemplateText.Piece]) -> String {
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let part): text += part
            case .secret(let name):
                text.unicodeScalars.append(open)
                text += name
                text.unicodeScalars.append(close)
            }
        }
        return text
    }
}
