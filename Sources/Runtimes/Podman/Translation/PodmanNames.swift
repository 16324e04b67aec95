import SystemCrypto

/// The names and labels by which podman's objects are known again.
enum PodmanNames {
    static let deployment = "stack-orchestrator.dev/deployment"
    static let owner = "stack-orchestrator.dev/owner"
    static let workload = "stack-orchestrator.dev/workload"
    static let replica = "stack-orchestrator.dev/replica"
    /// `service` or `job`.
    static let kind = "stack-orchestrator.dev/kind"
    /// `init` or `main`.
    static let role = "stack-orchestrator.dev/role"
    static let container = "stack-orchestrator.dev/container"
    /// HMAC of all that the pod was made of.
    static let fingerprint = "stack-orchestrator.dev/fingerprint"
    /// On what serves the routes of this host: its name.
    static let routes = "stack-orchestrator.dev/routes"
    /// On what serves the routes: where they are kept, and its ports as `80/443`.
    static let routesDirectory = "stack-orchestrator.dev/routes-directory"
    static let routesPorts = "stack-orchestrator.dev/routes-ports"
    /// The pod that a volume lives and dies with.
    static let pod = "stack-orchestrator.dev/pod"

    /// `so-demo_web`, and `so-demo_web.2` for the second replica: no namespace or workload holds `_` or `.`, so that two never collide.
    static func pod(_ namespace: String, _ workload: String, replica: Int) -> String {
        "\(namespace)_\(workload)" + (replica > 1 ? ".\(replica)" : "")
    }

    /// `so-demo_back`: no namespace or network holds `_`.
    static func network(_ namespace: String, _ network: String) -> String { "\(namespace)_\(network)" }

    static func container(_ pod: String, _ container: String) -> String { "\(pod)_\(container)" }

    static func volume(_ namespace: String, _ claim: String) -> String { "\(namespace)-\(claim)" }

    static func ephemeralVolume(_ pod: String, _ volume: String) -> String { "\(pod)_\(volume)" }

    /// The digest makes a changed secret a new object, so that the running pod keeps the old one until it is replaced.
    static func secret(_ namespace: String, _ secret: String, _ key: String, _ digest: String) -> String {
        let name = "\(namespace).\(secret).\(key).\(digest.prefix(12))"
        // Podman before 4.5 takes no longer ones.
        guard name.utf8.count > 64 else { return name }
        return "\(secretOwner(namespace)).\(sha256Hex(name).prefix(16)).\(digest.prefix(12))"
    }

    /// How the names of a namespace's secrets begin where they would be too long.
    private static func secretOwner(_ namespace: String) -> String {
        namespace.utf8.count <= 34 ? namespace : "\(namespace.prefix(17))-\(sha256Hex(namespace).prefix(16))"
    }

    /// Whether ``secret(_:_:_:_:)`` names an object of some namespace so.
    static func isSecret(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard let digest = parts.last else { return false }
        return parts.count >= 3 && digest.count == 12 && digest.allSatisfy(\.isHexDigit)
    }

    /// Whether ``secret(_:_:_:_:)`` names an object of a namespace so: nothing else is, and no namespace holds a dot.
    static func isSecret(_ name: String, of namespace: String) -> Bool {
        let owner = name.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        return [namespace, secretOwner(namespace)].contains(owner) && isSecret(name)
    }
}
