/// Decides which names may be reached, before anything is looked up.
package struct AccessRule: Sendable {
    private let patterns: [NamePattern]
    private let deniesAll: Bool

    package init(_ configuration: EgressConfiguration) {
        patterns = configuration.allow.compactMap { NamePattern($0) }
        deniesAll = configuration.deniesAll
    }

    /// Whether the name server answers the name: some port of it may be reached.
    package func allows(_ name: String) -> Bool {
        if isOwn(name) { return false }
        return !deniesAll || patterns.contains { $0.matches(name) }
    }

    package func allows(_ name: String, port: Int) -> Bool {
        if isOwn(name) { return false }
        if !deniesAll, NamePattern.ordinaryPorts.contains(port) { return true }
        return patterns.contains { $0.matches(name, port: port) }
    }

    /// Names without a dot and those of special use never lead to the public internet: RFC 6761, RFC 6762.
    private func isOwn(_ name: String) -> Bool {
        guard IPAddress(name) == nil else { return false }
        guard let last = name.split(separator: ".").last, name.contains(".") else { return true }
        return ["local", "localhost", "internal", "test", "invalid", "onion", "arpa"].contains(last)
    }
}

/// Why something was refused, as the log has it.
package enum DenialReason: String, Codable, Hashable, Sendable, CaseIterable {
    /// Not in the list of what is allowed.
    case notAllowed = "not allowed"
    /// Allowed, but it resolves to an address that is not of the public internet.
    case privateAddress = "private address"
    /// Allowed, but nobody knows it.
    case unknownName = "unknown name"
    /// A route of the provider or the forge that the session has no use for.
    case route = "route"
    /// Not the session's token.
    case token = "token"
}
