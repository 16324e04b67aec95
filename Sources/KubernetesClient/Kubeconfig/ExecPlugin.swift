import ExternalTools
package import FoundationEssentials
import SystemCrypto
import YAML

/// A program that gives out credentials (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins).
package struct ExecPlugin: Sendable {
    package var command: String
    package var arguments: [String]
    package var environment: [String: String]
    package var apiVersion: String
    package var installHint: String?
    package var needsTerminal: Bool
    /// What the program is told in `KUBERNETES_EXEC_INFO`.
    package var information: String

    /// What the program gave.
    package struct Output: Sendable {
        package var token: String?
        package var certificate: ClusterAccess.ClientCertificate?
        /// Nil: it lasts as long as the process.
        package var expires: Date?
    }

    private static let versions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]

    init(_ node: Node, user: String, directory: String, access: ClusterAccess) throws(KubernetesError) {
        guard let command = node["command"]?.text, !command.isEmpty else {
            throw KubernetesError(.kubeconfig, "the exec plug-in of the user \(user) has no command")
        }
        let version = node["apiVersion"]?.text ?? ""
        guard Self.versions.contains(version) else {
            throw KubernetesError(
                .kubeconfig, "the exec plug-in of the user \(user) has the apiVersion `\(version)`",
                hint: "so speaks \(Self.versions.joined(separator: " and "))")
        }
        // A relative path with a slash starts from the kubeconfig; a plain name is looked up in PATH.
        let isRelative = command.contains("/") && !command.hasPrefix("/")
        self.command = isRelative ? "\(directory)/\(command)" : command
        arguments = (node["args"]?.sequence ?? []).compactMap(\.text)
        environment = [:]
        for entry in node["env"]?.sequence ?? [] {
            if let name = entry["name"]?.text { environment[name] = entry["value"]?.text ?? "" }
        }
        apiVersion = version
        installHint = node["installHint"]?.text
        needsTerminal = node["interactiveMode"]?.text == "Always"
        var specification: [(String, Node)] = [("interactive", .plain("false"))]
        if node["provideClusterInfo"]?.boolValue == true {
            var cluster: [(String, Node)] = [("server", .string(access.server))]
            if let name = access.serverName { cluster.append(("tls-server-name", .string(name))) }
            if let authority = access.certificateAuthority {
                cluster.append(("certificate-authority-data", .string(base64(authority))))
            }
            if !access.isVerified { cluster.append(("insecure-skip-tls-verify", .plain("true"))) }
            specification.append(("cluster", .map(cluster)))
        }
        information =
            Node.map([
                ("kind", .string("ExecCredential")), ("apiVersion", .string(version)), ("spec", .map(specification)),
            ]).json()
    }

    /// Runs the program and reads what it gives.
    ///
    /// - Parameter host: the operator's environment, which it inherits.
    func run(host: [String: String]) async throws(KubernetesError) -> Output {
        if needsTerminal {
            throw KubernetesError(
                .credentials, "the credential plug-in \(command) wants to ask on a terminal (interactiveMode: Always)",
                hint: "log in with it by hand, then use its non-interactive mode")
        }
        var added = environment
        added["KUBERNETES_EXEC_INFO"] = information
        let output: CommandOutput
        do {
            output = try await Command(command, arguments, host: host, environment: added).run()
        } catch {
            let hint = error.code == .programMissing ? installHint : nil
            throw KubernetesError(
                .credentials, "the credential plug-in \(command) failed", cause: error.description, hint: hint)
        }
        return try Self.read(output.standardOutput, command: command, apiVersion: apiVersion)
    }

    /// Reads an `ExecCredential`. Its content never reaches a message.
    static func read(_ bytes: [UInt8], command: String, apiVersion: String) throws(KubernetesError) -> Output {
        guard let node = try? readJSON(bytes), node["kind"]?.text == "ExecCredential", let status = node["status"]
        else { throw KubernetesError(.credentials, "the credential plug-in \(command) gave no ExecCredential") }
        guard node["apiVersion"]?.text == apiVersion else {
            throw KubernetesError(
                .credentials,
                "the credential plug-in \(command) answered in \(node["apiVersion"]?.text ?? "no version")",
                hint: "the kubeconfig asks for \(apiVersion)")
        }
        var output = Output(token: status["token"]?.text)
        if let certificate = status["clientCertificateData"]?.text, let key = status["clientKeyData"]?.text {
            output.certificate = ClusterAccess.ClientCertificate(
                certificate: Array(certificate.utf8), key: Array(key.utf8))
        }
        guard output.token != nil || output.certificate != nil else {
            throw KubernetesError(
                .credentials, "the credential plug-in \(command) gave neither a token nor a certificate with its key")
        }
        if let time = status["expirationTimestamp"]?.text { output.expires = try? Date(time, strategy: .iso8601) }
        return output
    }
}
