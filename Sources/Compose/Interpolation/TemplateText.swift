/// Text that secrets may stand in: their values are unknown while a project is loaded.
///
/// Interpolating a secret variable writes a placeholder, its name between two private-use scalars, into the scalar's
/// text, so that it flows through every parser; ``init(_:)`` splits such a text again.
package struct TemplateText: Hashable, Sendable, CustomStringConvertible {
    /// A part of the text.
    package enum Piece: Hashable, Sendable {
        case text(String)
        /// The value of the secret of this name.
        case secret(String)
    }

    /// Adjacent texts are joined and empty ones are left out.
    package private(set) var pieces: [Piece]

    /// Splits a text at its placeholders; a text without any becomes one piece.
    package init(_ text: String) {
        pieces = Placeholder.split(text)
    }

    package init(pieces: [Piece]) {
        self = TemplateText(Placeholder.join(pieces))
    }

    /// A text that is the value of one secret.
    package static func secret(_ name: String) -> TemplateText { TemplateText(pieces: [.secret(name)]) }

    /// The names of the secrets in the text, in order, repeated as they stand.
    package var secretNames: [String] {
        pieces.compactMap { if case .secret(let name) = $0 { name } else { nil } }
    }

    /// Whether a secret flows into the text.
    package var isSecret: Bool { pieces.contains { if case .secret = $0 { true } else { false } } }

    /// The text if no secret stands in it.
    package var literal: String? { isSecret ? nil : masked }

    /// The text with `***` for each secret: what may be printed.
    package var masked: String {
        pieces.map { if case .text(let text) = $0 { text } else { "***" } }.joined()
    }

    /// The same as ``masked``, so that printing a text by accident shows no placeholder.
    package var description: String { masked }

    /// The text with placeholders: what ``init(_:)`` splits. It is for values on their way, never for output.
    package var encoded: String { Placeholder.join(pieces) }

    /// The text with every secret's value, or nil if the lookup lacks one of them.
    package func resolved(_ secrets: (String) -> String?) -> String? {
        var result = ""
        for piece in pieces {
            switch piece {
            case .text(let text): result += text
            case .secret(let name):
                guard let value = secrets(name) else { return nil }
                result += value
            }
        }
        return result
    }

    /// Joins two texts.
    package static func + (left: TemplateText, right: TemplateText) -> TemplateText {
        TemplateText(pieces: left.pieces + right.pieces)
    }
}

extension TemplateText: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self.init(value) }
}
