import Runtimes
package import Workspaces

extension WorkspaceContext {
    /// The context with what the user's Vault has of credentials that are nowhere else; the same where `so settings` names no Vault.
    ///
    /// - Throws: `OrchestratorError` where the Vault cannot be asked, and something is missing.
    package func askingVault() async throws -> WorkspaceContext {
        guard let place = try settingsStore.load().vault else { return self }
        let missing = try credentials.status(of: try agents()).filter { $0.source == nil }.map(\.variable)
        guard !missing.isEmpty else { return self }
        let vault = VaultCredentials(
            address: place.address, mount: place.mount, path: place.path, authentication: try authentication(place))
        var values: [String: String] = [:]
        for variable in Set(missing).sorted() {
            guard let bytes = try await vault.value(of: variable) else { continue }
            values[variable] = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        }
        var context = self
        context.vault = VaultValues(place: place, values: values)
        return context
    }

    private func authentication(_ place: VaultPlace) throws -> VaultAuthentication {
        if let role = place.roleID, let file = place.secretIDFile { return .appRole(roleID: role, secretIDFile: file) }
        if let file = place.tokenFile {
            guard let bytes = try Files.readIfPresent(file) else {
                throw OrchestratorError(
                    .missing, "\(file) is missing", hint: "it holds the token for \(place.address)")
            }
            return .token(String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace })
        }
        guard let token = environment["VAULT_TOKEN"], !token.isEmpty else {
            throw OrchestratorError(
                .invalid, "nothing says how to log in to \(place.address)",
                hint:
                    "so settings set vault.token-file FILE, or vault.role-id and vault.secret-id-file, or set VAULT_TOKEN"
            )
        }
        return .token(token)
    }
}
