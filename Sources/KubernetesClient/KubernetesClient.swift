import YAML

/// A cluster's API. One client has one pool of connections; ``shutDown()`` closes it, and so does the end of its last copy.
package struct KubernetesClient: Sendable {
    /// The manager that owns what this client applies.
    package static let fieldManager = "so"

    let connection: Connection

    package var access: ClusterAccess { connection.access }

    /// - Parameter concurrency: how many requests may be under way at once, streams not counted.
    package init(_ access: ClusterAccess, concurrency: Int = 32) async throws(KubernetesError) {
        connection = try await Connection(access, concurrency: concurrency)
    }

    package func shutDown() async { await connection.shutDown() }

    /// Sends a request and reads the object that it answers with.
    func object(_ request: APIRequest) async throws(KubernetesError) -> LiveObject {
        LiveObject(try read(try await connection.send(request), of: request))
    }

    func read(_ bytes: [UInt8], of request: APIRequest) throws(KubernetesError) -> Node {
        do {
            return try readJSON(bytes)
        } catch {
            throw KubernetesError(
                .server, "\(request.summary): the answer of \(access.server) is not JSON", cause: error.description,
                hint: "is this the address of a Kubernetes API?")
        }
    }

    /// Asks whether the server has come up (https://kubernetes.io/docs/reference/using-api/health-checks/); asks once.
    ///
    /// - Throws: what it says, or why it says nothing.
    package func checkReady() async throws(KubernetesError) {
        let request = APIRequest(.get, "/readyz", repeatability: .ifRefused, summary: "ask whether the API is ready")
        _ = try await connection.send(request)
    }

    /// The server's version, as `v1.36.2`.
    package func version() async throws(KubernetesError) -> String {
        let request = APIRequest(.get, "/version", summary: "ask for the version")
        let node = try read(try await connection.send(request), of: request)
        return node["gitVersion"]?.text ?? "unknown"
    }
}
