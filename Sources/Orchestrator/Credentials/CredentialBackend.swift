/// Where credentials are kept. They are written by people and read by the egress of an agent's pod: no page, log or error shows a value.
package protocol CredentialBackend: Sendable {
    /// Says what is wrong with the backend itself, e.g. a sealed Vault.
    func check() async throws
    /// The names that have a value.
    func names() async throws -> [String]
    /// Nil where there is none.
    func value(of name: String) async throws -> [UInt8]?
    func set(_ name: String, to value: [UInt8]) async throws
    /// Does nothing where there is none.
    func remove(_ name: String) async throws
    /// Seals everything with a new key.
    ///
    /// - Throws: `OrchestratorError` (`invalid`) where the backend has no key of its own.
    func rotate() async throws
    /// Keeps alive what the backend needs, such as its lease, until it is cancelled. What fails is tried again.
    func maintain() async throws
}

extension CredentialBackend {
    package func maintain() async throws {}

    /// What a backend without a key of its own says to a rotation.
    package static var keyless: OrchestratorError {
        OrchestratorError(
            .invalid, "this backend has no key of its own to rotate",
            hint: "only `backend: file` has one; Vault and Kubernetes rotate theirs by themselves")
    }
}

/// What a credential may be called: the name of a variable.
enum CredentialName {
    static func check(_ name: String) throws(OrchestratorError) {
        guard isGood(name) else {
            throw OrchestratorError(
                .invalid, "invalid credential name `\(redacted(name))`",
                hint: "letters, digits, `_`, `-` and `.`, such as ANTHROPIC_API_KEY")
        }
    }

    static func isGood(_ name: String) -> Bool {
        (1...100).contains(name.utf8.count) && name.first != "." && name.first != "-"
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || "_-.".utf8.contains(byte)
            }
    }
}
