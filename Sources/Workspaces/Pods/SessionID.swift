import SystemCrypto

/// Names one session: `s-` and eight characters of a-z and 0-9, so that it may begin the name of a Kubernetes object.
package struct SessionID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The eight characters.
    package let token: String

    /// Reads `s-abcd1234`, or the eight characters alone; nil for anything else.
    package init?(_ text: String) {
        let token = text.hasPrefix("s-") ? String(text.dropFirst(2)) : text
        guard token.utf8.count == 8, token.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.token = token
    }

    private init(token: String) { self.token = token }

    /// A new one that nobody can guess.
    ///
    /// - Throws: where the system has no random bytes.
    package static func random() throws -> SessionID {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        return SessionID(token: String(try randomBytes(8).map { letters[Int($0) % letters.count] }))
    }

    package var description: String { "s-\(token)" }
    /// The branch that the session's agent works on.
    package var branch: String { "so/\(self)" }
    /// What every reference of the session begins with, in the stores and in the user's repository.
    package var references: String { "refs/so/\(self)/" }

    package static func < (one: SessionID, other: SessionID) -> Bool { one.token < other.token }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension SessionID: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let id = SessionID(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "invalid session `\(text)`"))
        }
        self = id
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
