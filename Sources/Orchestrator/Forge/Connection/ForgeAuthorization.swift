/// Gives each request its token. No description shows one.
protocol ForgeAuthorization: Sendable {
    /// The value of the header `Authorization`.
    func header(for scope: ForgeScope) async throws -> String
    /// The token that git shows as a password.
    func gitToken(for repository: String) async throws -> String
    /// The forge answered 401: whether another token can be had.
    func refuse(_ scope: ForgeScope) async -> Bool
}

/// A token that a person made.
struct FixedToken: ForgeAuthorization, CustomStringConvertible, CustomReflectable {
    private let token: String
    /// `Bearer` or `token`.
    private let scheme: String

    init(_ token: String, scheme: String = "Bearer") {
        self.token = token
        self.scheme = scheme
    }

    func header(for scope: ForgeScope) -> String { "\(scheme) \(token)" }
    func gitToken(for repository: String) -> String { token }
    func refuse(_ scope: ForgeScope) -> Bool { false }

    var description: String { "a token of a forge" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
