import Rendering
import Specs
import SystemCrypto
import YAML

/// The spec's registry credentials as a file of mode 0600 that exists only while images are pulled.
///
/// An engine that is given a file looks nowhere else: it is for images of these registries only, so that the user's own logins count for others.
package struct RegistryLogins: Sendable {
    private let path: String
    private let hosts: Set<String>

    /// Writes one login as an engine reads it, mode 0600.
    ///
    /// - Returns: the path.
    package static func write(
        server: String, username: String, token: String, to path: String
    ) throws(DeploymentError) -> String {
        let login = base64(Array("\(username):\(token)".utf8))
        let node = Node.map([("auths", .map([(ImageName.registryHost(server), .map([("auth", .string(login))]))]))])
        try PrivateFile.write(Array(node.json().utf8), to: path)
        return path
    }

    /// Nil where the deployment names no registry; then the user's own logins count.
    package init?(_ model: DeploymentModel) throws(DeploymentError) {
        var logins: [(String, Node)] = []
        for entry in model.rendered.secrets.flatMap(\.entries) {
            guard case .registry(let credential) = entry.value else { continue }
            let login = base64(
                Array("\(credential.username):\(try credential.token(environment: model.environment))".utf8))
            logins.append((ImageName.registryHost(credential.server), .map([("auth", .string(login))])))
        }
        guard !logins.isEmpty else { return nil }
        path = Self.file(in: model.stateDirectory)
        hosts = Set(logins.map(\.0))
        try PrivateFile.write(Array(Node.map([("auths", .map(logins))]).json().utf8), to: path)
    }

    /// The file, for an image of these registries.
    ///
    /// - Parameter reference: an image, or where one is pushed to.
    package func file(for reference: String) -> String? {
        hosts.contains(ImageName.registryHost(ofImage: reference)) ? path : nil
    }

    private static func file(in stateDirectory: String) -> String { stateDirectory + "/registry-logins.json" }

    /// Removes what a command left that was killed while it pulled or pushed; the caller holds the lock.
    package static func removeAbandoned(in stateDirectory: String) throws(DeploymentError) {
        try PrivateFile.remove(file(in: stateDirectory))
        try PrivateFile.remove(file(in: stateDirectory) + ".new")
    }

    package func remove() { try? PrivateFile.remove(path) }
}
