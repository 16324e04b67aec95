import OrderedCollections
import Runtimes
import SystemCrypto

/// What `so auth login` keeps: a file of mode 0600 for each provider's variable, below a directory of mode 0700.
package struct CredentialStore: Sendable {
    /// `~/.config/so/credentials`.
    package let directory: String

    package init(directory: String) { self.directory = directory }

    /// Keeps a credential, in place of an older one.
    ///
    /// - Parameter variable: the name under which an agent's declaration asks for it.
    package func save(_ value: String, variable: String) throws(WorkspaceError) {
        let value = value.filter { !$0.isWhitespace }
        guard !value.isEmpty, value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw WorkspaceError(
                .invalid, "this is not a credential: it is empty, or has characters that no key has",
                hint: "paste the key alone, or pipe it in")
        }
        try attempt { () throws(DeploymentError) in
            try Files.makeDirectory(directory, mode: 0o700)
            try Files.restrict(directory, to: 0o700)
            try Files.write(Array((value + "\n").utf8), to: path(variable), mode: 0o600)
        }
    }

    /// Nil where none is stored.
    package func value(_ variable: String) throws(WorkspaceError) -> String? {
        let path = path(variable)
        let bytes = try attempt { () throws(DeploymentError) in try Files.readIfPresent(path) }
        guard let bytes else { return nil }
        if let mode = Files.mode(path), mode & 0o077 != 0 {
            throw WorkspaceError(
                .notPermitted, "others may read \(path)", hint: "chmod 600 \(path), and give the credential a new value"
            )
        }
        return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
    }

    /// - Returns: whether there was one.
    package func remove(_ variable: String) throws(WorkspaceError) -> Bool {
        let path = path(variable)
        guard Files.exists(path) else { return false }
        try attempt { () throws(DeploymentError) in try Files.remove(path) }
        return true
    }

    package func path(_ variable: String) -> String { "\(directory)/\(variable)" }

    private func attempt<Result>(
        _ body: () throws(DeploymentError) -> Result
    ) throws(WorkspaceError) -> Result {
        do {
            return try body()
        } catch {
            throw WorkspaceError(.cannotCreate, error.message, cause: error.cause, hint: error.hint)
        }
    }
}

/// Finds who pays: the environment goes before what is stored, and that before a Vault.
package struct CredentialLookup: Sendable {
    /// Handed in: nothing here reads the process's own.
    package var environment: [String: String]
    package var store: CredentialStore
    /// Asked beforehand; nil: there is none.
    package var vault: VaultValues?

    package init(environment: [String: String], store: CredentialStore) {
        self.environment = environment
        self.store = store
    }

    /// The credentials of an agent, one for each of its providers that has one.
    ///
    /// - Throws: `unavailable` where no provider of it has any, with how to give one.
    package func credentials(of agent: AgentDeclaration) throws(WorkspaceError) -> [Credential] {
        var found: [Credential] = []
        for provider in agent.providers {
            if let credential = try credential(agent, provider.name) { found.append(credential) }
        }
        guard found.isEmpty, let provider = agent.providers.first else { return found }
        let variables = agent.authentication.map(\.variable)
        throw WorkspaceError(
            .unavailable, "\(agent.title) has no credential of \(provider.name)",
            hint: "so auth login \(provider.name), or set \(variables.joined(separator: " or "))")
    }

    private func credential(_ agent: AgentDeclaration, _ provider: String) throws(WorkspaceError) -> Credential? {
        let modes = agent.authentication.filter { $0.provider == provider }
        for mode in modes {
            if let value = environment[mode.variable], !value.isEmpty {
                return credential(mode, value, .environment(variable: mode.variable))
            }
        }
        for mode in modes {
            if let value = try store.value(mode.variable) {
                return credential(mode, value, .stored(path: store.path(mode.variable)))
            }
        }
        for mode in modes {
            if let vault, let value = vault.values[mode.variable], !value.isEmpty {
                return credential(mode, value, .vault(place: vault.place, variable: mode.variable))
            }
        }
        return nil
    }

    private func credential(
        _ mode: AgentDeclaration.AuthenticationMode, _ value: String, _ source: Credential.Source
    ) -> Credential {
        let headers = mode.headers.mapValues { $0.replacing("${CREDENTIAL}", with: value) }
        return Credential(provider: mode.provider, source: source, headers: headers)
    }
}
