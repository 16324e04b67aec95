import AsyncHTTPClient
import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// A transport's error in words.
struct TransportReason {
    var text: String
    var hint: String?

    init(_ error: any Error) {
        switch error {
        case let error as HTTPClientError: self.init(error)
        case let error as NIOConnectionError: self.init(error)
        case let error as IOError: self.init(text: String(cString: strerror(error.errnoCode)))
        case let error as NIOSSLError: self.init(error)
        case is NIOSSLExtraError:
            self.init(
                text: "the server's certificate is for another name",
                hint: "correct `server`, or set `tls-server-name` in the kubeconfig")
        case let error as BoringSSLError: self.init(text: "TLS: \(error)")
        default: self.init(text: "\(error)")
        }
    }

    private init(text: String, hint: String? = nil) {
        self.text = text
        self.hint = hint
    }

    private init(_ error: HTTPClientError) {
        switch error {
        case .connectTimeout:
            self.init(text: "no connection within 30 s", hint: "is the cluster running, and this its address?")
        case .deadlineExceeded: self.init(text: "no answer within 60 s")
        case .remoteConnectionClosed: self.init(text: "the server closed the connection")
        // The full description may quote what was sent: headers, and with them credentials.
        default: self.init(text: error.shortDescription)
        }
    }

    private init(_ error: NIOConnectionError) {
        if error.dnsAError != nil, error.connectionErrors.isEmpty {
            self.init(text: "\(error.host) has no address", hint: "correct `server` in the kubeconfig")
        } else {
            let reason = error.connectionErrors.first.map { TransportReason($0.error).text } ?? "no connection"
            self.init(text: reason, hint: "is the cluster running, and this its address?")
        }
    }

    private init(_ error: NIOSSLError) {
        switch error {
        case .handshakeFailed(let reason):
            self.init(
                text: "the TLS handshake failed: \(reason)",
                hint: "is the kubeconfig's certificate authority that of this cluster?")
        default: self.init(text: "TLS: \(error)")
        }
    }
}
