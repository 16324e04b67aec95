package import ExternalTools
import FoundationEssentials
import Glibc
package import Runtimes
import Specs

/// What builds, pulls and pushes images: podman or docker, which take the same arguments nearly everywhere.
package struct ImageEngine: Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case podman
        case docker
    }

    package var kind: Kind
    private let podman: Podman

    package init(_ kind: Kind, podman: Podman) {
        self.kind = kind
        self.podman = podman
    }

    /// The engine that the user names, else podman where it is installed, else docker.
    ///
    /// - Throws: ``DeploymentError`` (`unavailable`) where there is neither.
    ///
    /// - Parameter environment: the operator's, in whose PATH the engine is looked up.
    package static func find(
        _ wanted: Kind? = nil, environment: [String: String]
    ) throws(DeploymentError) -> ImageEngine {
        let podman = Podman(inherited: environment)
        if let wanted { return ImageEngine(wanted, podman: podman) }
        let directories = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        for kind in Kind.allCases where directories.contains(where: { access("\($0)/\(kind.rawValue)", X_OK) == 0 }) {
            return ImageEngine(kind, podman: podman)
        }
        throw DeploymentError(.unavailable, "images need podman or docker", hint: "apt-get install podman")
    }

    /// The operator's environment, which the engine inherits, and scripts that call it.
    var host: [String: String] { podman.host }

    /// Added to the environment of the engine, and of scripts that call it.
    package var environment: [String: String] { kind == .podman ? podman.environment : [:] }

    package func command(_ arguments: [String], input: [UInt8]? = nil, cancellation: Command.Cancellation = .terminate)
        -> Command
    {
        Command(
            kind.rawValue, arguments, host: host, environment: environment, input: input, cancellation: cancellation)
    }

    /// The id of an image; nil where the engine does not have it.
    package func imageID(_ name: String) async throws(CommandFailure) -> String? {
        let output = try await command(ImageArguments.id(name)).result()
        return output.status == 0 && !output.text.isEmpty ? output.text : nil
    }

    package func tag(_ image: String, as name: String) async throws(CommandFailure) {
        try await command(["tag", image, name]).run()
    }

    package func pull(_ reference: String, logins: String?) async throws(CommandFailure) {
        try await command(ImageArguments.pull(kind, reference, logins: logins)).run()
    }

    /// Pushes an image of this host under another name.
    ///
    /// - Returns: the digest under which the registry has it, `sha256:…`.
    package func push(_ image: String, to reference: String, logins: String?, scratch: String)
        async throws(CommandFailure) -> String?
    {
        let digestFile = "\(scratch)/digest-\(UInt32.random(in: 0...UInt32.max))"
        defer { unlink(digestFile) }
        if kind == .docker { try await tag(image, as: reference) }
        try await command(
            ImageArguments.push(kind, image, to: reference, logins: logins, digestFile: digestFile),
            cancellation: .finish
        ).run()
        if kind == .podman {
            let text = (try? Data(contentsOf: URL(filePath: digestFile))).map { String(decoding: $0, as: UTF8.self) }
            return text.map { $0.filter { !$0.isWhitespace } }
        }
        let digests = try await command(ImageArguments.digests(reference)).run().text
        let repository = reference.prefix(upTo: reference.lastIndex(of: ":") ?? reference.endIndex)
        return digests.split(separator: "\n").first { $0.hasPrefix(repository + "@") }.map {
            String($0.dropFirst(repository.count + 1))
        }
    }
}

/// What an engine is asked about images, as argument lists that are tested without running it.
package enum ImageArguments {
    package static func id(_ name: String) -> [String] { ["image", "inspect", "--format", "{{.Id}}", "--", name] }
    package static func remove(_ name: String) -> [String] { ["rmi", "--", name] }
    package static func digests(_ name: String) -> [String] {
        ["image", "inspect", "--format", "{{range .RepoDigests}}{{println .}}{{end}}", "--", name]
    }

    package static func pull(_ kind: ImageEngine.Kind, _ reference: String, logins: String?) -> [String] {
        ["pull", "--quiet"] + access(kind, reference, logins)
            + ["--", kind == .podman ? ImageName.qualified(reference) : reference]
    }

    package static func push(
        _ kind: ImageEngine.Kind, _ image: String, to reference: String, logins: String?, digestFile: String
    ) -> [String] {
        switch kind {
        case .podman:
            ["push", "--quiet", "--digestfile", digestFile] + access(kind, reference, logins) + [
                "--", image, "docker://" + reference,
            ]
        case .docker: ["push", "--quiet", "--", reference]
        }
    }

    /// A registry on this host has no certificate: docker takes it as it is, podman has to be told.
    private static func access(_ kind: ImageEngine.Kind, _ reference: String, _ logins: String?) -> [String] {
        guard kind == .podman else { return [] }
        return (ImageName.isLoopback(reference) ? ["--tls-verify=false"] : [])
            + (logins.map { ["--authfile", $0] } ?? [])
    }
}
