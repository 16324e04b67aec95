import FoundationEssentials
import Runtimes

/// A file that holds one secret.
enum SecretFile {
    /// The file's text without the line break at its end.
    ///
    /// - Parameter key: the key of the configuration that names it, with its place.
    /// - Throws: `OrchestratorError`: `missing`, `notPermitted` where others could read it, or this user cannot.
    static func read(_ path: String, key: String) throws(OrchestratorError) -> String {
        guard let bytes = try bytes(path, key) else {
            throw OrchestratorError(
                .missing, "\(key): the file \(path) does not exist", hint: "write the secret to it, with mode 0600")
        }
        if let mode = Files.mode(path), mode & 0o077 != 0, !isMounted(path) {
            throw OrchestratorError(
                .notPermitted, "\(key): others can read \(path)", hint: "chmod 600 \(path)")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let secret = text.hasSuffix("\n") ? String(text.dropLast()) : text
        guard !secret.isEmpty else {
            throw OrchestratorError(.invalid, "\(key): the file \(path) is empty", hint: "write the secret to it")
        }
        return secret
    }

    private static func bytes(_ path: String, _ key: String) throws(OrchestratorError) -> [UInt8]? {
        do {
            return try Files.readIfPresent(path)
        } catch {
            throw OrchestratorError(
                .notPermitted, "\(key): the file \(path) cannot be read", cause: "\(error)",
                hint: "make it a file that the server's user can read, and nobody else")
        }
    }

    /// Secrets that a cluster or podman mounts are readable in their pod alone.
    private static func isMounted(_ path: String) -> Bool {
        path.hasPrefix("/run/secrets/") || path.hasPrefix("/var/run/secrets/") || path.hasPrefix("/etc/so/secrets/")
    }
}
