import Deployments
import OrderedCollections
import Runtimes
import SystemCrypto

/// The image of the egress pod: the program, the host's certificate authorities, and nothing else. No registry is asked.
package enum EgressImage {
    /// The certificate bundles that distributions have, the first that is there counts.
    package static let certificateFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]

    /// - Parameters:
    ///   - executable: the absolute path of `so`, beside which `so-egress` is installed.
    ///   - digestDirectory: where the digest of the program is kept for the next time.
    ///   - certificates: candidates for the bundle of certificate authorities.
    /// - Throws: `missing` where the program or the bundle is not there.
    package static func recipe(
        beside executable: String, digestDirectory: String, certificates: [String] = certificateFiles
    ) throws(WorkspaceError) -> ImageRecipe {
        let program = program(beside: executable)
        guard let own = try? FileDigests(directory: digestDirectory).digest(of: program) else {
            throw WorkspaceError(
                .missing, "so-egress is not beside \(executable)", hint: "install so again: scripts/install")
        }
        guard let bundle = certificates.first(where: { Files.exists($0) }), let authorities = try? Files.read(bundle)
        else {
            throw WorkspaceError(
                .missing, "this host has no certificate authorities", hint: "apt-get install ca-certificates")
        }
        let digest = sha256Hex(Array((own + sha256Hex(authorities) + containerfile).utf8))
        return ImageRecipe(
            containerfile: containerfile, buildArguments: [:],
            contextFiles: [
                "so-egress": .file(program), "ca-certificates.crt": .file(bundle),
                // glibc's own resolver, without what it would have to load.
                "nsswitch.conf": .bytes(Array("hosts: files dns\n".utf8), mode: 0o644),
            ], tag: "localhost/so-egress:\(digest.prefix(24))", labels: [WorkspaceImages.egress: "1"])
    }

    /// Where the program is on this host.
    package static func program(beside executable: String) -> String { Files.parent(of: executable) + "/so-egress" }

    private static let containerfile = """
        FROM scratch
        COPY so-egress /so-egress
        COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
        COPY nsswitch.conf /etc/nsswitch.conf
        ENTRYPOINT ["/so-egress"]
        CMD ["run"]

        """
}

extension WorkspaceContext {
    /// The image of the egress pod, by the program beside `so`.
    func egressRecipe(beside executable: String) throws(WorkspaceError) -> ImageRecipe {
        try EgressImage.recipe(beside: executable, digestDirectory: hostStateDirectory(environment) + "/digests")
    }
}
