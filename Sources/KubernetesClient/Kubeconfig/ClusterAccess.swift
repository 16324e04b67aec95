import ExternalTools
import FoundationEssentials
import SystemCrypto
import YAML

/// Where a cluster is and how to get in.
package struct ClusterAccess: Sendable {
    /// A key and certificates in PEM.
    package struct ClientCertificate: Hashable, Sendable {
        package var certificate: [UInt8]
        package var key: [UInt8]
    }

    package enum Credentials: Sendable {
        case none
        case certificate(ClientCertificate)
        case token(String)
        /// Read again when it may have changed.
        case tokenFile(String)
        case basic(user: String, password: String)
        case plugin(ExecPlugin)
    }

    package enum Proxy: Hashable, Sendable {
        case http(host: String, port: Int, authorization: String?)
        case socks(host: String, port: Int)
    }

    package var scheme: String
    package var host: String
    package var port: Int
    /// Before each of the API's paths; empty or `/prefix`.
    package var pathPrefix: String
    /// PEM; nil: the system's roots.
    package var certificateAuthority: [UInt8]?
    package var isVerified = true
    /// The name in the server's certificate, where it is not that of the address.
    package var serverName: String?
    package var proxy: Proxy?
    package var credentials: Credentials = .none
    package var impersonation: [(header: String, value: String)] = []
    /// The context's namespace.
    package var namespace: String?
    /// What names this access in messages: `context kind-so of /home/me/.kube/config`.
    package var origin: String
    /// What a user should know.
    package var warnings: [String] = []
    /// The options that make kubectl use the same access.
    package var kubectlArguments: [String] = []
    /// The operator's environment, which programs inherit that give out credentials, or use the same access.
    package var environment: [String: String] = [:]

    package init(scheme: String, host: String, port: Int, pathPrefix: String = "", origin: String) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.pathPrefix = pathPrefix
        self.origin = origin
    }

    /// The server's address as a user reads it.
    package var server: String { "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)\(pathPrefix)" }
}

extension ClusterAccess {
    /// The access that a command has: a named file, else those of `KUBECONFIG`, else `~/.kube/config`, else the pod's own.
    ///
    /// - Parameters:
    ///   - file: the deployment's kubeconfig; nil: the user's.
    ///   - context: nil: the current one.
    package static func resolve(
        file: String?, context: String? = nil, environment: [String: String]
    ) throws(KubernetesError) -> ClusterAccess {
        if let file {
            var access = try Kubeconfig.load([file], mayBeAbsent: false).access(context: context)
            access.kubectlArguments.insert(contentsOf: ["--kubeconfig", file], at: 0)
            access.environment = environment
            return try access.proxied(by: environment)
        }
        let list = (environment["KUBECONFIG"] ?? "").split(separator: ":").map(String.init)
        let home = environment["HOME"].map { ["\($0)/.kube/config"] } ?? []
        let config = try Kubeconfig.load(list.isEmpty ? home : list, mayBeAbsent: true)
        if config.files.isEmpty {
            if var access = try inCluster(environment: environment) {
                access.environment = environment
                return access
            }
            let places = list.isEmpty ? "~/.kube/config does not exist" : "KUBECONFIG names no file that exists"
            throw KubernetesError(
                .kubeconfig, "no kubeconfig: \(places)",
                hint: "write `kube-config: <path>` into the spec, or set KUBECONFIG")
        }
        var access = try config.access(context: context)
        access.environment = environment
        return try access.proxied(by: environment)
    }

    /// The access of a pod to its own cluster; nil outside of one.
    package static func inCluster(
        environment: [String: String], root: String = "/var/run/secrets/kubernetes.io/serviceaccount"
    ) throws(KubernetesError) -> ClusterAccess? {
        guard let host = environment["KUBERNETES_SERVICE_HOST"],
            let port = environment["KUBERNETES_SERVICE_PORT"].flatMap(Int.init),
            FileManager.default.fileExists(atPath: "\(root)/token")
        else { return nil }
        var access = ClusterAccess(scheme: "https", host: host, port: port, origin: "the pod's service account")
        access.certificateAuthority = try KubeconfigFiles.read(
            "\(root)/ca.crt", "the service account's certificate authority")
        access.credentials = .tokenFile("\(root)/token")
        let namespace = try KubeconfigFiles.read("\(root)/namespace", "the service account's namespace")
        access.namespace = String(decoding: namespace, as: UTF8.self).filter { !$0.isWhitespace }
        return access
    }
}

extension Kubeconfig {
    /// What a context leads to.
    package func access(context wanted: String? = nil) throws(KubernetesError) -> ClusterAccess {
        let place = files.joined(separator: ", ")
        guard let name = wanted ?? currentContext else {
            throw KubernetesError(
                .kubeconfig, "\(place) has no current-context",
                hint: contexts.isEmpty
                    ? "it has no contexts either" : "choose one: kubectl config use-context \(contextNames[0])")
        }
        guard let context = contexts[name] else {
            throw KubernetesError(
                .kubeconfig, "\(place) has no context \(name)",
                hint: "its contexts are: \(contextNames.joined(separator: ", "))")
        }
        guard let clusterName = context.text("cluster"), let cluster = clusters[clusterName] else {
            throw KubernetesError(
                .kubeconfig,
                "the context \(name) of \(place) names the cluster \(context.text("cluster") ?? "(none)"), "
                    + "which is not in it")
        }
        var access = try Self.cluster(cluster, name: clusterName, origin: "context \(name) of \(place)")
        access.namespace = context.text("namespace")
        access.kubectlArguments = ["--context", name]
        guard let userName = context.text("user") else { return access }
        guard let user = users[userName] else {
            throw KubernetesError(
                .kubeconfig, "the context \(name) of \(place) names the user \(userName), which is not in it")
        }
        access.credentials = try Self.credentials(user, name: userName, cluster: cluster, access: access)
        access.impersonation = Self.impersonation(user)
        return access
    }

    private static func cluster(
        _ entry: Entry, name: String, origin: String
    ) throws(KubernetesError) -> ClusterAccess {
        guard let server = entry.text("server") else {
            throw KubernetesError(.kubeconfig, "the cluster \(name) of the \(origin) has no server")
        }
        guard var access = ClusterAccess(server: server, origin: origin) else {
            throw KubernetesError(
                .kubeconfig, "the cluster \(name) of the \(origin) has the server `\(server)`",
                hint: "write https://host:port")
        }
        access.certificateAuthority = try data(entry, "certificate-authority", "the certificate authority of \(name)")
        access.serverName = entry.text("tls-server-name")
        if entry.node["insecure-skip-tls-verify"]?.boolValue == true {
            guard access.certificateAuthority == nil else {
                throw KubernetesError(
                    .kubeconfig, "the cluster \(name) has both a certificate authority and insecure-skip-tls-verify",
                    hint: "remove one of them")
            }
            access.isVerified = false
            access.warnings.append(
                "\(access.server) is not verified (insecure-skip-tls-verify): anybody in between can read and change all"
            )
        }
        if access.scheme == "http" { access.warnings.append("\(access.server) is spoken to without TLS") }
        if let proxy = entry.text("proxy-url") {
            access.proxy = try self.proxy(proxy, what: "`proxy-url` of the \(origin)")
        }
        return access
    }

    private static func credentials(
        _ user: Entry, name: String, cluster: Entry, access: ClusterAccess
    ) throws(KubernetesError) -> ClusterAccess.Credentials {
        if user.node["auth-provider"] != nil {
            throw KubernetesError(
                .kubeconfig, "the user \(name) has an auth-provider, which Kubernetes removed in 1.26",
                hint: "use the provider's exec plug-in")
        }
        let certificate = try data(user, "client-certificate", "the client certificate of \(name)")
        let key = try data(user, "client-key", "the client key of \(name)")
        // As kubectl: a token goes before a password, and either beside a certificate.
        if let certificate, let key {
            return .certificate(ClusterAccess.ClientCertificate(certificate: certificate, key: key))
        }
        if (certificate == nil) != (key == nil) {
            throw KubernetesError(.kubeconfig, "the user \(name) has a client certificate or a key, but not both")
        }
        if let file = user.path("tokenFile") { return .tokenFile(file) }
        if let token = user.text("token") {
            return .token(try headerValue(token, of: "the token of the user \(name) of \(access.origin)"))
        }
        if let plugin = user.node["exec"], !plugin.isNull {
            return .plugin(try ExecPlugin(plugin, user: name, directory: user.directory, access: access))
        }
        if let account = user.text("username") {
            return .basic(user: account, password: user.text("password") ?? "")
        }
        return .none
    }

    private static func impersonation(_ user: Entry) -> [(header: String, value: String)] {
        var headers: [(header: String, value: String)] = []
        if let name = user.text("as") { headers.append(("Impersonate-User", name)) }
        if let uid = user.text("as-uid") { headers.append(("Impersonate-Uid", uid)) }
        for group in user.node["as-groups"]?.sequence ?? [] {
            if let group = group.text { headers.append(("Impersonate-Group", group)) }
        }
        return headers
    }

    /// `<key>-data` in base64, else the file of `<key>`.
    private static func data(_ entry: Entry, _ key: String, _ what: String) throws(KubernetesError) -> [UInt8]? {
        if let text = entry.text("\(key)-data") {
            guard let bytes = base64Decoded(text.filter { !$0.isWhitespace }) else {
                throw KubernetesError(.kubeconfig, "\(what): `\(key)-data` is not base64")
            }
            return bytes
        }
        guard let path = entry.path(key) else { return nil }
        return try KubeconfigFiles.read(path, what)
    }

    /// - Parameter name: where it is written.
    static func proxy(_ text: String, what name: String) throws(KubernetesError) -> ClusterAccess.Proxy {
        let parsed = URL(string: text)
        guard let url = parsed, let host = url.host(), !host.isEmpty else {
            // It may hold a password.
            throw KubernetesError(.kubeconfig, "\(name) is not a URL", hint: "write http://host:port")
        }
        switch url.scheme {
        case "http":
            let login = url.user().map { user in "Basic " + base64(Array("\(user):\(url.password() ?? "")".utf8)) }
            return .http(host: host, port: url.port ?? 80, authorization: login)
        case "socks5": return .socks(host: host, port: url.port ?? 1080)
        default:
            throw KubernetesError(
                .kubeconfig, "\(name) has the scheme \(url.scheme ?? "(none)")",
                hint: "so speaks http:// and socks5://")
        }
    }
}

extension ClusterAccess {
    /// Reads `https://host:port/prefix`.
    init?(server: String, origin: String) {
        let text = server.contains("://") ? server : "https://\(server)"
        guard let url = URL(string: text), let scheme = url.scheme, scheme == "https" || scheme == "http",
            var host = url.host(), !host.isEmpty
        else { return nil }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        var prefix = url.path()
        while prefix.hasSuffix("/") { prefix.removeLast() }
        self.init(
            scheme: scheme, host: host, port: url.port ?? (scheme == "https" ? 443 : 80), pathPrefix: prefix,
            origin: origin)
    }
}

/// Reading the files that a kubeconfig names.
enum KubeconfigFiles {
    static func read(_ path: String, _ what: String) throws(KubernetesError) -> [UInt8] {
        do {
            return [UInt8](try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw KubernetesError(.kubeconfig, "\(what) cannot be read from \(path)", cause: "\(error)")
        }
    }
}

/// A secret as the value of a header.
///
/// - Throws: an error that names where it comes from, never the value, where HTTP could not carry it.
func headerValue(_ text: String, of what: String) throws(KubernetesError) -> String {
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        throw KubernetesError(
            .credentials, "\(what) holds a line break or another control character", hint: "write the token on one line"
        )
    }
    return text
}
