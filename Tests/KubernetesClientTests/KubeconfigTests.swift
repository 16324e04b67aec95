import KubernetesClient
import TestSupport
import Testing

/// Kubeconfigs are read and merged as kubectl does.
@Suite struct KubeconfigTests {
    private let minimal = """
        apiVersion: v1
        kind: Config
        current-context: one
        clusters:
          - {name: c, cluster: {server: "https://10.0.0.1:6443"}}
        users:
          - {name: u, user: {token: t0ken}}
        contexts:
          - {name: one, context: {cluster: c, user: u, namespace: apps}}
        """

    private func access(
        _ text: String, context: String? = nil, environment: [String: String] = [:]
    ) async throws -> ClusterAccess {
        try await withTemporaryDirectory { directory in
            try write(text, to: directory + "/config")
            return try ClusterAccess.resolve(file: directory + "/config", context: context, environment: environment)
        }
    }

    @Test func `the current context gives server, namespace and token`() async throws {
        let access = try await access(minimal)
        #expect(access.server == "https://10.0.0.1:6443")
        #expect(access.namespace == "apps")
        guard case .token("t0ken") = access.credentials else { return #expect(Bool(false), "\(access.credentials)") }
        #expect(access.isVerified && access.warnings.isEmpty)
    }

    @Test func `of several files the first that has a name counts, and one that is absent is passed over`() async throws
    {
        try await withTemporaryDirectory { directory in
            try write(
                "current-context: one\n" + "clusters: [{name: c, cluster: {server: \"https://first:1\"}}]\n",
                to: directory + "/a")
            try write(minimal, to: directory + "/b")
            let access = try ClusterAccess.resolve(
                file: nil, environment: ["KUBECONFIG": "\(directory)/a:\(directory)/absent:\(directory)/b"])
            #expect(access.server == "https://first:1")
            #expect(access.namespace == "apps")
        }
    }

    @Test func `files that a kubeconfig names lie beside it`() async throws {
        try await withTemporaryDirectory { directory in
            try write("CA", to: directory + "/pki/ca.crt")
            try write(
                minimal.replacing(
                    "server: \"https://10.0.0.1:6443\"",
                    with: "server: \"https://h:1\", certificate-authority: pki/ca.crt"),
                to: directory + "/config")
            let access = try ClusterAccess.resolve(file: directory + "/config", environment: [:])
            #expect(access.certificateAuthority == Array("CA".utf8))
        }
    }

    @Test func `inline data goes before a file, and must be base64`() async throws {
        let text = minimal.replacing("token: t0ken", with: "client-certificate-data: Y2VydA==, client-key-data: a2V5")
        guard case .certificate(let pair) = try await access(text).credentials else { throw Unexpected() }
        #expect(pair.certificate == Array("cert".utf8) && pair.key == Array("key".utf8))
        await #expect(throws: KubernetesError.self) { try await access(text.replacing("Y2VydA==", with: "%%%")) }
    }

    @Test func `without verification there is a warning, and never beside a certificate authority`() async throws {
        let text = minimal.replacing("6443\"", with: "6443\", insecure-skip-tls-verify: true")
        let access = try await access(text)
        #expect(!access.isVerified)
        #expect(access.warnings.count == 1)
        await #expect(throws: KubernetesError.self) {
            try await self.access(
                text.replacing("skip-tls-verify: true", with: "skip-tls-verify: true, certificate-authority-data: Y2E=")
            )
        }
    }

    @Test func `a proxy, another name in the certificate and a prefix are taken over`() async throws {
        let access = try await access(
            minimal.replacing(
                "server: \"https://10.0.0.1:6443\"",
                with:
                    "server: \"https://[::1]:7/k8s/c1/\", tls-server-name: api, proxy-url: \"http://me:pw@proxy:3128\"")
        )
        #expect(access.host == "::1" && access.port == 7 && access.pathPrefix == "/k8s/c1")
        #expect(access.serverName == "api")
        #expect(access.proxy == .http(host: "proxy", port: 3128, authorization: "Basic bWU6cHc="))
        await #expect(throws: KubernetesError.self) {
            try await self.access(minimal.replacing("6443\"", with: "6443\", proxy-url: \"https://proxy\""))
        }
    }

    @Test(arguments: [
        ("current-context: one", "current-context: two", "two"),
        ("cluster: c, user", "cluster: x, user", "x"), ("user: u,", "user: y,", "y"),
        ("server: \"https://10.0.0.1:6443\"", "server: \"ftp://h\"", "ftp://h"),
        ("token: t0ken", "auth-provider: {name: gcp}", "exec plug-in"),
        ("token: t0ken", "exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}", "v1alpha1"),
    ])
    func `what is missing is named`(old: String, new: String, named: String) async throws {
        let error = await #expect(throws: KubernetesError.self) { try await access(minimal.replacing(old, with: new)) }
        #expect(error?.code == .kubeconfig)
        #expect(error.map { "\($0)".contains(named) } ?? false, "\(String(describing: error))")
    }

    @Test func `without any kubeconfig the way to name one is told`() throws {
        let error = #expect(throws: KubernetesError.self) {
            try ClusterAccess.resolve(file: nil, environment: ["HOME": "/nowhere"])
        }
        #expect(error?.hint?.contains("kube-config:") ?? false)
    }

    @Test func `a pod finds its own cluster`() async throws {
        try await withTemporaryDirectory { directory in
            try write("abc\n", to: directory + "/token")
            try write("CA", to: directory + "/ca.crt")
            try write("apps", to: directory + "/namespace")
            let found = try ClusterAccess.inCluster(
                environment: ["KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "443"], root: directory
            )
            #expect(found?.server == "https://10.96.0.1:443")
            #expect(found?.namespace == "apps")
            #expect(try ClusterAccess.inCluster(environment: [:], root: directory) == nil)
        }
    }

    private struct Unexpected: Error {}

    @Test func `a token that no header can carry is told by its place, and never printed`() async throws {
        let broken = minimal.replacing("token: t0ken", with: #"token: "s3cr3t\nX-Other: 1""#)
        let error = await #expect(throws: KubernetesError.self) { try await access(broken) }
        #expect(error?.message.contains("the user u") == true && error?.message.contains("/config") == true)
        #expect(!"\(String(describing: error))".contains("s3cr3t"))
    }
}
