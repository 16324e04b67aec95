/// How the orchestrator shows HashiCorp Vault or OpenBao who it is. Files are read at each login: they are rotated by others.
package enum VaultAuthentication: Sendable, CustomStringConvertible, CustomReflectable {
    case token(String)
    case appRole(roleID: String, secretIDFile: String, mount: String = "approle")
    case kubernetes(role: String, tokenFile: String = serviceAccountToken, mount: String = "kubernetes")

    package static let serviceAccountToken = "/var/run/secrets/kubernetes.io/serviceaccount/token"

    package var description: String {
        switch self {
        case .token: "a token"
        case .appRole: "AppRole"
        case .kubernetes: "the service account"
        }
    }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A token with its lease.
struct VaultLease: Sendable {
    var token: String
    var isRenewable: Bool
    /// When two thirds of it are over; nil: it has no end.
    var renewAt: ContinuousClock.Instant?

    init(token: String, seconds: Int, isRenewable: Bool, now: ContinuousClock.Instant = .now) {
        self.token = token
        self.isRenewable = isRenewable
        renewAt = seconds > 0 ? now.advanced(by: .milliseconds(seconds * 667)) : nil
    }

    var isDue: Bool { renewAt.map { $0 <= .now } ?? false }
}
