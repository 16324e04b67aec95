import Runtimes

/// The authorities that a user trusts besides the host's, by the setting `certificate-authority`: for git servers and registries of their own.
struct CertificateAuthority: Hashable, Sendable {
    /// The user's own, as PEM.
    var own: String
    /// Those of the host and the user's own: what a program reads that knows one file of authorities.
    var all: [UInt8]

    /// Where a pod has ``all``.
    static let file = "authorities.pem"

    /// - Parameter path: absolute.
    init(_ path: String, hosts: [String] = EgressImage.certificateFiles) throws(WorkspaceError) {
        guard let bytes = try? Files.read(path), let text = String(validating: bytes, as: UTF8.self),
            text.contains("-----BEGIN CERTIFICATE-----")
        else {
            throw WorkspaceError(
                .invalid, "`certificate-authority`: \(path) is not a file of certificates in PEM format",
                hint: "so settings set certificate-authority FILE, or so settings unset certificate-authority")
        }
        own = text
        let host = hosts.first { Files.exists($0) }.flatMap { try? Files.read($0) } ?? []
        all = host + Array("\n\(text)".utf8)
    }

    /// What programs of a pod read it by.
    static let environment: [String: String] = Dictionary(
        uniqueKeysWithValues: [
            "GIT_SSL_CAINFO", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
        ].map { ($0, "\(PodPaths.scripts)/\(file)") })
}

extension WorkspaceContext {
    /// Nil where the user trusts none besides the host's.
    func authority() throws -> CertificateAuthority? {
        try settingsStore.load().certificateAuthority.map { try CertificateAuthority($0) }
    }

    /// A file of this host with all authorities that git is to trust; nil: those of the host alone, or what the user's environment says.
    package func authorityFile() throws -> String? {
        guard environment["GIT_SSL_CAINFO"] == nil, let authority = try authority() else { return nil }
        try Files.makeDirectory(stateDirectory, mode: 0o700)
        let file = "\(stateDirectory)/\(CertificateAuthority.file)"
        try Files.write(authority.all, to: file, mode: 0o600)
        return file
    }
}
