package import FoundationEssentials
import SystemCrypto

/// Somebody who is signed in.
package struct Visitor: Hashable, Sendable {
    package enum Role: String, Hashable, Sendable {
        /// Sees and does everything.
        case administrator
        /// Sees and does what belongs to the repositories that they may write.
        case member
    }

    package var login: String
    package var role: Role
    /// By `owner/name`; of a member.
    package var repositories: [String]
    /// Goes into every form, and comes back with it.
    package var formToken: String
    package var expiresAt: Date

    package func maySee(_ repository: String) -> Bool {
        // People and their forge spell a name as they like.
        role == .administrator || repositories.contains { $0.lowercased() == repository.lowercased() }
    }
}

extension SQLStore {
    /// Signs somebody in; returns the secret of the cookie, which the store knows by its digest alone.
    package func signIn(
        _ login: String, _ role: Visitor.Role, repositories: [String], for seconds: Double
    ) async throws -> String {
        let (token, form) = (try randomAlphanumeric(43), try randomAlphanumeric(43))
        let at = now()
        let names = String(decoding: try JSONEncoder().encode(repositories), as: UTF8.self)
        try await write { connection in
            try connection.query("DELETE FROM sessions WHERE expires_at < ?", [.real(at)])
            try connection.query(
                """
                INSERT INTO sessions (token, login, role, repositories, csrf, created_at, expires_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .text(sha256Hex(token)), .text(login), .text(role.rawValue), .text(names), .text(form), .real(at),
                    .real(at + seconds),
                ])
        }
        return token
    }

    /// Who a cookie's secret belongs to; nil where nobody, or no longer.
    package func visitor(token: String) async throws -> Visitor? {
        try await read { connection in
            let rows = try connection.query(
                "SELECT * FROM sessions WHERE token = ? AND expires_at > ?", [.text(sha256Hex(token)), .real(now())])
            guard let row = rows.first else { return nil }
            let names = Data(try row.required("repositories", SQLRow.text).utf8)
            return Visitor(
                login: try row.required("login", SQLRow.text), role: try row.word("role", Visitor.Role.self),
                repositories: try JSONDecoder().decode([String].self, from: names),
                formToken: try row.required("csrf", SQLRow.text), expiresAt: try row.required("expires_at", SQLRow.date)
            )
        }
    }

    package func signOut(token: String) async throws {
        try await write { try $0.query("DELETE FROM sessions WHERE token = ?", [.text(sha256Hex(token))]) }
    }

    private static let credentials = "credentials-changed"

    /// Says that a credential was entered now.
    package func noteCredentials() async throws {
        try await set(Self.credentials, to: "\(now())", replacing: true)
    }

    func credentialsChanged(after moment: Double) async throws -> Bool {
        try await setting(Self.credentials).flatMap { Double($0) }.map { $0 >= moment } ?? false
    }

    package func setting(_ name: String) async throws -> String? {
        try await read { try $0.query("SELECT value FROM settings WHERE name = ?", [.text(name)]).first?.text("value") }
    }

    /// Sets a value where there is none, or always; returns the value that is set then.
    @discardableResult
    package func set(_ name: String, to value: String, replacing: Bool) async throws -> String {
        let conflict = replacing ? "(name) DO UPDATE SET value = excluded.value" : "DO NOTHING"
        return try await write { connection in
            try connection.query(
                "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT \(conflict)", [.text(name), .text(value)])
            let rows = try connection.query("SELECT value FROM settings WHERE name = ?", [.text(name)])
            return try rows.first?.required("value", SQLRow.text) ?? value
        }
    }
}
