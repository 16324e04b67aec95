import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import Runtimes
import YAML

/// Credentials in a KV store (version 2) of HashiCorp Vault or OpenBao: one secret per credential, its text under the key `value`.
package actor VaultCredentials: CredentialBackend {
    private let address: String
    private let mount: String
    private let path: String
    private let authentication: VaultAuthentication
    private var lease: VaultLease?

    private static let bodyLimit = 1 << 20
    /// How often a server that is sealed or elects a leader is asked again.
    private static let attempts = 4

    /// - Parameters:
    ///   - address: `https://vault.example.com:8200`.
    ///   - mount: of the KV store, `secret`.
    ///   - path: below it, `so`.
    package init(address: String, mount: String = "secret", path: String = "so", authentication: VaultAuthentication) {
        self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
        self.mount = mount
        self.path = path
        self.authentication = authentication
    }

    // MARK: Credentials

    package func check() async throws {
        let health = try await request(.GET, "sys/health", nil, token: nil)
        switch health.status {
        case 200, 429, 472, 473: break
        case 501: throw unavailable("it is not initialised", "initialise it: `bao operator init`")
        case 503: throw unavailable("it is sealed", "unseal it: `bao operator unseal`")
        default: throw unavailable("it answers \(health.status)", "is this the address of a Vault?")
        }
        _ = try await names()
    }

    package func names() async throws -> [String] {
        let answer = try await authorized(.GET, "\(encoded(mount))/metadata/\(place)?list=true", nil)
        if answer.status == 404 {
            try checkMount(answer)
            return []
        }
        try expect(answer, "list the credentials")
        let keys = answer.node.member("data")?.member("keys")?.sequence ?? []
        return keys.compactMap(\.text).filter(CredentialName.isGood).sorted()
    }

    package func value(of name: String) async throws -> [UInt8]? {
        try CredentialName.check(name)
        let answer = try await authorized(.GET, "\(encoded(mount))/data/\(place)/\(name)", nil)
        // Absent and deleted alike; a store of version 1 says so in a warning.
        if answer.status == 404 {
            try checkMount(answer)
            guard answer.node.member("warnings")?.sequence?.isEmpty ?? true else {
                throw OrchestratorError(
                    .invalid, "\(mount) is not a KV store of version 2",
                    hint: "bao secrets enable -path=\(mount) -version=2 kv")
            }
            return nil
        }
        try expect(answer, "read the credential \(name)")
        guard let text = answer.node.member("data")?.member("data")?.member("value")?.text else {
            throw OrchestratorError(
                .invalid, "the secret \(mount)/\(path)/\(name) has no key `value`",
                hint: "bao kv put \(mount)/\(path)/\(name) value=-")
        }
        return Array(text.utf8)
    }

    package func set(_ name: String, to value: [UInt8]) async throws {
        try CredentialName.check(name)
        guard let text = String(validating: value, as: UTF8.self) else {
            throw OrchestratorError(.invalid, "the credential \(name) is not text")
        }
        let body = Node.map([("data", .map([("value", .string(text))]))])
        let answer = try await authorized(.POST, "\(encoded(mount))/data/\(place)/\(name)", body)
        try expect(answer, "write the credential \(name)")
    }

    /// With all its versions.
    package func remove(_ name: String) async throws {
        try CredentialName.check(name)
        let answer = try await authorized(.DELETE, "\(encoded(mount))/metadata/\(place)/\(name)", nil)
        if answer.status != 404 { try expect(answer, "remove the credential \(name)") }
    }

    package func rotate() throws { throw Self.keyless }

    // MARK: Leases

    package func maintain() async throws {
        while !Task.isCancelled {
            do {
                let lease = try await currentLease()
                guard let next = lease.renewAt else { return }
                try await Task.sleep(until: next, clock: .continuous)
            } catch is OrchestratorError {
                try await Task.sleep(for: .seconds(10))
            }
        }
    }

    /// A token that is good for now: made, or renewed when two thirds of its lease are over.
    private func currentLease() async throws -> VaultLease {
        guard let lease else { return try await logIn() }
        guard lease.isDue else { return lease }
        guard lease.isRenewable, let renewed = try await renew(lease) else { return try await logIn() }
        self.lease = renewed
        return renewed
    }

    /// Nil where it cannot be renewed any more: the store gives no longer lease than its maximum.
    private func renew(_ lease: VaultLease) async throws -> VaultLease? {
        let answer = try await request(.POST, "auth/token/renew-self", .map([]), token: lease.token)
        guard answer.status == 200, let auth = answer.node.member("auth") else { return nil }
        if case .token = authentication { return Self.lease(auth) }
        return answer.node.member("warnings")?.sequence?.isEmpty ?? true ? Self.lease(auth) : nil
    }

    private func logIn() async throws -> VaultLease {
        let made: VaultLease
        switch authentication {
        case .token(let token): made = try await lookUp(token)
        case .appRole(let role, let file, let mount):
            let body = Node.map([("role_id", .string(role)), ("secret_id", .string(try secret(file)))])
            made = try await logIn("auth/\(encoded(mount))/login", body)
        case .kubernetes(let role, let file, let mount):
            let body = Node.map([("role", .string(role)), ("jwt", .string(try secret(file)))])
            made = try await logIn("auth/\(encoded(mount))/login", body)
        }
        lease = made
        return made
    }

    private func lookUp(_ token: String) async throws -> VaultLease {
        let answer = try await request(.GET, "auth/token/lookup-self", nil, token: token)
        try expect(answer, "log in with \(authentication)")
        let data = answer.node.member("data")
        return VaultLease(
            token: token, seconds: data?.member("ttl")?.text.flatMap { Int($0) } ?? 0,
            isRenewable: data?.member("renewable")?.text == "true")
    }

    private func logIn(_ path: String, _ body: Node) async throws -> VaultLease {
        let answer = try await request(.POST, path, body, token: nil)
        guard answer.status == 200, let auth = answer.node.member("auth") else {
            throw OrchestratorError(
                .notPermitted, "cannot log in to \(address) with \(authentication)", cause: answer.reason,
                hint: "check the role, and the file with its secret")
        }
        return Self.lease(auth)
    }

    private static func lease(_ auth: Node) -> VaultLease {
        VaultLease(
            token: auth.member("client_token")?.text ?? "",
            seconds: auth.member("lease_duration")?.text.flatMap { Int($0) } ?? 0,
            isRenewable: auth.member("renewable")?.text == "true")
    }

    private func secret(_ file: String) throws -> String {
        guard let bytes = try Files.readIfPresent(file) else {
            throw OrchestratorError(.missing, "\(file) is missing", hint: "it holds the secret to log in to \(address)")
        }
        return trimmedLines(String(decoding: bytes, as: UTF8.self))
    }

    // MARK: Requests

    private struct Answer: Sendable {
        var status: Int
        var node: Node

        /// What the server says; never a value.
        var reason: String {
            let words = (node.member("errors")?.sequence ?? []).compactMap(\.text).joined(separator: "; ")
            return words.isEmpty ? "HTTP status \(status)" : "HTTP status \(status): \(redacted(words))"
        }
    }

    private var place: String { path.split(separator: "/").map { encoded(String($0)) }.joined(separator: "/") }

    private func encoded(_ text: String) -> String {
        text.split(separator: "/").map { urlEncoded(String($0)) }.joined(separator: "/")
    }

    /// A 403 may mean that the token has ended: another one is made, once.
    private func authorized(_ method: HTTPMethod, _ path: String, _ body: Node?) async throws -> Answer {
        let answer = try await request(method, path, body, token: try await currentLease().token)
        guard answer.status == 403 else { return answer }
        if case .token = authentication { return answer }
        lease = nil
        return try await request(method, path, body, token: try await currentLease().token)
    }

    private func request(_ method: HTTPMethod, _ path: String, _ body: Node?, token: String?) async throws -> Answer {
        for attempt in 1... {
            let answer = try await send(method, path, body, token)
            let isPassing = answer.status == 503 || answer.status == 502 || answer.status == 412
            guard isPassing, attempt < Self.attempts, path != "sys/health" else { return answer }
            try await Task.sleep(for: .milliseconds(200 << attempt))
        }
        throw unavailable("it does not answer", "check its address")
    }

    private func send(_ method: HTTPMethod, _ path: String, _ body: Node?, _ token: String?) async throws -> Answer {
        var message = HTTPClientRequest(url: "\(address)/v1/\(path)")
        message.method = method
        if let token { message.headers.add(name: "X-Vault-Token", value: token) }
        message.headers.add(name: "X-Vault-Request", value: "true")
        if let body {
            message.headers.add(name: "Content-Type", value: "application/json")
            message.body = .bytes(ByteBuffer(string: body.json()))
        }
        do {
            let answer = try await OutgoingHTTP.client.execute(message, timeout: .seconds(30))
            let bytes = Array(try await answer.body.collect(upTo: Self.bodyLimit).readableBytesView)
            let node = bytes.isEmpty ? nil : try? loadYAMLDocument(bytes, file: "answer")
            return Answer(status: Int(answer.status.code), node: node ?? .map([]))
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw unavailable("it does not answer", "check credentials.address, and that this host reaches it")
        }
    }

    /// What is absent has no errors in its answer; a store that is absent has.
    private func checkMount(_ answer: Answer) throws(OrchestratorError) {
        guard answer.node.member("errors")?.sequence?.isEmpty ?? true else {
            throw OrchestratorError(
                .missing, "\(address) has no KV store `\(mount)`", cause: answer.reason,
                hint: "bao secrets enable -path=\(mount) -version=2 kv")
        }
    }

    private func expect(_ answer: Answer, _ purpose: String) throws(OrchestratorError) {
        switch answer.status {
        case 200..<300: return
        case 403:
            throw OrchestratorError(
                .notPermitted, "cannot \(purpose) at \(address)", cause: answer.reason,
                hint:
                    "its policy needs create, read, update, delete and list of \(mount)/data/\(path)/* and \(mount)/metadata/\(path)/*"
            )
        case 503: throw unavailable("it is sealed", "unseal it: `bao operator unseal`")
        default: throw OrchestratorError(.failed, "cannot \(purpose) at \(address)", cause: answer.reason)
        }
    }

    private func unavailable(_ cause: String, _ hint: String) -> OrchestratorError {
        OrchestratorError(.unavailable, "the credentials' store \(address) cannot be used", cause: cause, hint: hint)
    }
}

extension Node {
    fileprivate func member(_ key: String) -> Node? { mapping?[key] }
}
