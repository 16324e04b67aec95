import Runtimes
import SystemCrypto

/// The embedded backend: a file per credential, sealed with AES-256-GCM, below a directory of mode 0700.
package actor FileCredentials: CredentialBackend {
    private let directory: String
    private var keys: SealingKeys

    private static let form = "so1"

    /// - Parameter keys: where they are; a key file is made where there are no credentials yet.
    package init(directory: String, keys source: SealingKeys.Source) throws {
        self.directory = directory
        try Files.makeDirectory(directory, mode: 0o700)
        try Files.restrict(directory, to: 0o700)
        let isEmpty = try Files.list(directory).filter(CredentialName.isGood).isEmpty
        keys = try SealingKeys(source, makesFile: isEmpty)
    }

    package func check() throws {
        for name in try names() { _ = try value(of: name) }
    }

    package func names() throws -> [String] {
        try Files.removeAbandonedWrites(in: directory)
        return try Files.list(directory).filter(CredentialName.isGood).sorted()
    }

    package func value(of name: String) throws -> [UInt8]? {
        try CredentialName.check(name)
        guard let bytes = try Files.readIfPresent("\(directory)/\(name)") else { return nil }
        return try open(bytes, name)
    }

    package func set(_ name: String, to value: [UInt8]) throws {
        try CredentialName.check(name)
        try readKeys()
        guard let key = keys.keys.first else { throw OrchestratorError(.failed, "the key file holds no key") }
        try write(value, name, key)
    }

    package func remove(_ name: String) throws {
        try CredentialName.check(name)
        let path = "\(directory)/\(name)"
        if Files.exists(path) { try Files.remove(path) }
    }

    /// Seals everything with a new key. Cut short at any moment, all credentials can be read, and the next call goes on.
    package func rotate() async throws {
        guard case .file(let path) = keys.source else {
            throw OrchestratorError(
                .invalid, "a key of the environment cannot be rotated here",
                hint: "put the new key before the old one, restart the server, and set each credential again")
        }
        try readKeys()
        try SealingKeys.write([.random()] + keys.keys, to: path)
        keys = try SealingKeys(.file(path), makesFile: false)
        try reseal()
        try SealingKeys.write(Array(keys.keys.prefix(1)), to: path)
        keys = try SealingKeys(.file(path), makesFile: false)
    }

    /// Seals everything with the first key.
    package func reseal() throws {
        for name in try names() {
            if let value = try value(of: name) { try set(name, to: value) }
        }
    }

    /// Another replica on this host may have rotated the key.
    private func readKeys() throws {
        if case .file = keys.source { keys = try SealingKeys(keys.source, makesFile: false) }
    }

    private func write(_ value: [UInt8], _ name: String, _ key: SealingKey) throws {
        let sealed = base64(try key.seal(value, context: Self.context(name)))
        let text = "\(Self.form) \(key.fingerprint) \(sealed)\n"
        try Files.write(Array(text.utf8), to: "\(directory)/\(name)", mode: 0o600)
    }

    private func open(_ bytes: [UInt8], _ name: String) throws -> [UInt8] {
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
        guard words.count == 3, words[0] == Self.form, let sealed = base64Decoded(words[2]) else {
            throw OrchestratorError(
                .invalid, "\(directory)/\(name) is not a sealed credential", hint: "so credentials set \(name)")
        }
        if !keys.keys.contains(where: { $0.fingerprint == words[1] }) { try readKeys() }
        guard let key = keys.keys.first(where: { $0.fingerprint == words[1] }) else {
            throw OrchestratorError(
                .notPermitted, "the credential \(name) was sealed with another key",
                hint: "restore the key file, or so credentials set \(name)")
        }
        do {
            return try key.open(sealed, context: Self.context(name))
        } catch {
            throw OrchestratorError(
                .invalid, "the credential \(name) was changed on disk", hint: "so credentials set \(name)")
        }
    }

    /// One credential's file does not open under another's name.
    private static func context(_ name: String) -> String { "so credential \(name)" }
}
