import FoundationEssentials
import SystemCrypto

/// What a request says of who sends it; asks again when it has run out.
actor RequestCredentials {
    private let credentials: ClusterAccess.Credentials
    /// The operator's environment, for a plug-in.
    private let environment: [String: String]
    private var token: String?
    private var expires: Date?

    /// - Parameter first: what a plug-in gave when the connection was made.
    init(_ access: ClusterAccess, first: ExecPlugin.Output?) {
        credentials = access.credentials
        environment = access.environment
        token = first?.token
        expires = first?.expires
    }

    /// The value of the Authorization header; nil where certificates or nobody speak.
    func authorization() async throws(KubernetesError) -> String? {
        switch credentials {
        case .none, .certificate: return nil
        case .token(let token): return "Bearer \(token)"
        case .basic(let user, let password): return "Basic " + base64(Array("\(user):\(password)".utf8))
        case .tokenFile(let path):
            if token == nil || hasExpired {
                let bytes = try KubeconfigFiles.read(path, "the token")
                token = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
                // The kubelet renews a pod's token; a minute is what client-go takes too.
                expires = Date().addingTimeInterval(60)
            }
        case .plugin(let plugin):
            if hasExpired {
                let output = try await plugin.run(host: environment)
                token = output.token
                expires = output.expires
            }
        }
        guard let token else { return nil }
        return "Bearer " + (try headerValue(token, of: origin))
    }

    /// Where the token came from, as a message may say it.
    private var origin: String {
        switch credentials {
        case .tokenFile(let path): "the token of \(path)"
        case .plugin: "the token of the credential plug-in"
        default: "the token"
        }
    }

    /// The server no longer takes what it was told; returns whether there may be something newer.
    func refuse() -> Bool {
        switch credentials {
        case .plugin, .tokenFile:
            expires = .distantPast
            return true
        default: return false
        }
    }

    private var hasExpired: Bool { expires.map { $0.timeIntervalSinceNow < 10 } ?? false }
}
