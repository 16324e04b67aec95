import AsyncHTTPClient
import NIOCore
import NIOSSL

extension ClusterAccess {
    /// How the HTTP client reaches this cluster.
    func httpConfiguration(
        pluginCertificate: ClientCertificate?
    ) throws(KubernetesError) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        // As kubectl's: client-go dials for 30 s, https://pkg.go.dev/net/http#DefaultTransport
        configuration.timeout.connect = .seconds(30)
        // A watch's bookmarks come once a minute: a stream that has said nothing for longer is dead.
        configuration.timeout.read = .seconds(100)
        configuration.connectionPool.idleTimeout = .seconds(120)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        configuration.httpVersion = .automatic
        if let serverName { configuration.dnsOverride = [serverName: host] }
        switch proxy {
        case .http(let host, let port, let authorization):
            configuration.proxy =
                if let authorization {
                    .server(
                        host: host, port: port, authorization: .basic(credentials: String(authorization.dropFirst(6))))
                } else {
                    .server(host: host, port: port)
                }
        case .socks(let host, let port): configuration.proxy = .socksServer(host: host, port: port)
        case nil: break
        }
        if scheme == "https" { configuration.tlsConfiguration = try tlsConfiguration(pluginCertificate) }
        return configuration
    }

    private func tlsConfiguration(
        _ pluginCertificate: ClientCertificate?
    ) throws(KubernetesError) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if !isVerified { tls.certificateVerification = .none }
        if let certificateAuthority {
            tls.trustRoots = .certificates(try certificates(certificateAuthority, "certificate authority"))
        }
        var pair = pluginCertificate
        if case .certificate(let certificate) = credentials { pair = certificate }
        if let pair {
            tls.certificateChain = try certificates(pair.certificate, "client certificate").map { .certificate($0) }
            do {
                tls.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: pair.key, format: .pem))
            } catch {
                throw KubernetesError(.kubeconfig, "the client key of the \(origin) is not a private key in PEM")
            }
        }
        return tls
    }

    private func certificates(_ pem: [UInt8], _ what: String) throws(KubernetesError) -> [NIOSSLCertificate] {
        let certificates = try? NIOSSLCertificate.fromPEMBytes(pem)
        guard let certificates, !certificates.isEmpty else {
            throw KubernetesError(.kubeconfig, "the \(what) of the \(origin) holds no certificate in PEM")
        }
        return certificates
    }
}
