package import KubernetesClient
import SystemCrypto
import YAML

/// Credentials in one Secret of a namespace: for an orchestrator that runs in a cluster.
package struct KubernetesCredentials: CredentialBackend {
    private let client: KubernetesClient
    private let namespace: String
    private let secret: String

    package init(_ client: KubernetesClient, namespace: String, secret: String = "so-credentials") {
        self.client = client
        self.namespace = namespace
        self.secret = secret
    }

    package func check() async throws { _ = try await data() }

    package func names() async throws -> [String] { try await data().keys.filter(CredentialName.isGood).sorted() }

    package func value(of name: String) async throws -> [UInt8]? {
        try CredentialName.check(name)
        return try await data()[name].flatMap { base64Decoded($0) }
    }

    package func set(_ name: String, to value: [UInt8]) async throws {
        try CredentialName.check(name)
        try await change(name, to: .string(base64(value)))
    }

    package func remove(_ name: String) async throws {
        try CredentialName.check(name)
        guard try await data()[name] != nil else { return }
        try await change(name, to: .plain("null"))
    }

    package func rotate() throws { throw Self.keyless }

    private func data() async throws -> [String: String] {
        try await guarded("read the Secret \(secret)") {
            try await client.get(.secrets, secret, namespace: namespace)?.node["data"]?.strings ?? [:]
        }
    }

    /// A patch of one key: two replicas that change two credentials at once lose neither.
    private func change(_ name: String, to value: Node) async throws {
        let patch = Node.map([("data", .map([(name, value)]))])
        try await guarded("change the Secret \(secret)") {
            do {
                _ = try await client.mergePatch(.secrets, secret, namespace: namespace, patch)
            } catch let error as KubernetesError where error.code == .notFound {
                try await create()
                _ = try await client.mergePatch(.secrets, secret, namespace: namespace, patch)
            }
        }
    }

    private func create() async throws {
        let metadata = Node.map([
            ("name", .string(secret)), ("namespace", .string(namespace)),
            ("labels", .map([("app.kubernetes.io/managed-by", .string("so"))])),
        ])
        let object = Node.map([
            ("apiVersion", .string("v1")), ("kind", .string("Secret")), ("metadata", metadata),
            ("type", .string("Opaque")),
        ])
        do {
            _ = try await client.create(object)
        } catch  where error.code == .alreadyExists {
            // Another replica was faster.
        }
    }

    private func guarded<Value: Sendable>(
        _ purpose: String, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error as KubernetesError {
            let isForbidden = error.code == .forbidden
            throw OrchestratorError(
                isForbidden ? .notPermitted : .unavailable, "cannot \(purpose) in \(namespace)",
                cause: error.description,
                hint: isForbidden ? "the service account needs get, create and patch of this Secret" : nil)
        }
    }
}
