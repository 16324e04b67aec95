import FoundationEssentials
import Rendering
import SystemCrypto
import YAML

/// The spec's registry credentials as a file of mode 0600 that exists only while images are pulled.
package struct RegistryLogins: Sendable {
    let file: String

    /// Writes one login as an engine reads it, mode 0600.
    ///
    /// - Returns: the path.
    package static func write(
        server: String, username: String, token: String, to path: String
    ) throws(DeploymentError) -> String {
        let login = base64(Array("\(username):\(token)".utf8))
        let host = String(server.prefix { $0 != "/" })
        let node = Node.map([("auths", .map([(host, .map([("auth", .string(login))]))]))])
        try PrivateFile.write(Array(node.json().utf8), to: path)
        return path
    }

    /// Nil where the deployment names no registry; then the user's own logins count.
    init?(_ model: DeploymentModel) throws(DeploymentError) {
        var logins: [(String, Node)] = []
        for entry in model.rendered.secrets.flatMap(\.entries) {
            guard case .registry(let credential) = entry.value else { continue }
            let login = base64(Array("\(credential.username):\(try Self.token(credential))".utf8))
            logins.append((credential.server, .map([("auth", .string(login))])))
        }
        guard !logins.isEmpty else { return nil }
        file = Self.file(in: model.stateDirectory)
        try PrivateFile.write(Array(Node.map([("auths", .map(logins))]).json().utf8), to: file)
    }

    private static func file(in stateDirectory: String) -> String { stateDirectory + "/registry-logins.json" }

    /// Removes what a command left that was killed while it pulled or pushed; the caller holds the lock.
    static func removeAbandoned(in stateDirectory: String) throws(DeploymentError) {
        try PrivateFile.remove(file(in: stateDirectory))
        try PrivateFile.remove(file(in: stateDirectory) + ".new")
    }

    func remove() { try? PrivateFile.remove(file) }

    private static func token(_ credential: RegistryCredential) throws(DeploymentError) -> String {
        if let path = credential.tokenFile {
            guard let bytes = try PrivateFile.read(path) else {
                throw DeploymentError(
                    .missing, "the token file \(path) for the registry \(credential.server) does not exist")
            }
            return String(decoding: bytes, as: UTF8.self).filter { !$0.isNewline }
        }
        let name = credential.tokenEnvironment ?? ""
        guard let token = ProcessInfo.processInfo.environment[name], !token.isEmpty else {
            throw DeploymentError(
                .missing, "no token for the registry \(credential.server)", hint: "set \(name) in the environment of so"
            )
        }
        return token
    }
}
