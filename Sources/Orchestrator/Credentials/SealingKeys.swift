import Runtimes
import SystemCrypto

/// The keys of the embedded backend: the first seals, the others only open what was sealed before a rotation.
package struct SealingKeys: Sendable {
    package enum Source: Sendable, Hashable {
        /// A file of mode 0600 with one key in base64 a line.
        case file(String)
        /// The same text out of the environment, which the caller has read.
        case text(String)
    }

    package let source: Source
    let keys: [SealingKey]

    /// - Parameter makesFile: whether a file that is not there is made, with a new key.
    package init(_ source: Source, makesFile: Bool) throws {
        self.source = source
        switch source {
        case .text(let text): keys = try Self.parse(text, "the environment")
        case .file(let path):
            if makesFile, !Files.exists(path) { try Self.write([.random()], to: path) }
            keys = try Self.read(path)
        }
    }

    private static func read(_ path: String) throws -> [SealingKey] {
        guard let bytes = try Files.readIfPresent(path) else {
            throw OrchestratorError(
                .missing, "the key file \(path) is missing",
                hint: "restore it from your backup: without it the credentials cannot be read")
        }
        if let mode = Files.mode(path), mode & 0o077 != 0 {
            throw OrchestratorError(.notPermitted, "others may read \(path)", hint: "chmod 600 \(path)")
        }
        return try parse(String(decoding: bytes, as: UTF8.self), path)
    }

    private static func parse(_ text: String, _ place: String) throws -> [SealingKey] {
        let lines = text.split(whereSeparator: \.isWhitespace).map(String.init)
        let keys = lines.compactMap { base64Decoded($0) }.compactMap { try? SealingKey($0) }
        guard !keys.isEmpty, keys.count == lines.count else {
            throw OrchestratorError(
                .invalid, "\(place) does not hold keys", hint: "one a line: `openssl rand -base64 32`")
        }
        return keys
    }

    static func write(_ keys: [SealingKey], to path: String) throws {
        try Files.makeDirectory(Files.parent(of: path), mode: 0o700)
        try Files.write(Array(keys.map { $0.base64Text + "\n" }.joined().utf8), to: path, mode: 0o600)
    }
}
