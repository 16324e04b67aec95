import TestSupport
import Testing

@testable import KubernetesClient

/// The environment's proxies, by the rules that kubectl follows.
@Suite struct EnvironmentProxyTests {
    private func proxy(_ server: String, _ environment: [String: String]) throws -> ClusterAccess.Proxy? {
        let access = try #require(ClusterAccess(server: server, origin: "test"))
        return try access.proxied(by: environment).proxy
    }

    @Test(arguments: [
        ("https://api.example.com", ["HTTPS_PROXY": "http://proxy:3128"], true),
        ("https://api.example.com", ["https_proxy": "proxy:3128"], true),
        ("http://api.example.com", ["HTTPS_PROXY": "http://proxy:3128"], false),
        ("http://api.example.com", ["HTTP_PROXY": "http://proxy:3128"], true),
        ("https://127.0.0.1:6443", ["HTTPS_PROXY": "http://proxy:3128"], false),
        ("https://localhost:6443", ["HTTPS_PROXY": "http://proxy:3128"], false),
        ("https://api.example.com", ["HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "*"], false),
        ("https://api.example.com", ["HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "x, example.com"], false),
        ("https://api.example.com", ["HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": ".example.com"], false),
        ("https://example.com", ["HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": ".example.com"], true),
        ("https://notexample.com", ["HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "example.com"], true),
        ("https://10.2.3.4:6443", ["HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "10.0.0.0/8"], false),
        ("https://11.2.3.4:6443", ["HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "10.0.0.0/8"], true),
        ("https://10.2.3.4:6443", ["HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "10.2.3.4:6443"], false),
        ("https://10.2.3.4:6443", ["HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "10.2.3.4:443"], true),
    ])
    func `a server is reached through the proxy that is meant for it`(
        server: String, environment: [String: String], isProxied: Bool
    ) throws {
        let expected: ClusterAccess.Proxy? = isProxied ? .http(host: "proxy", port: 3128, authorization: nil) : nil
        #expect(try proxy(server, environment) == expected)
    }

    @Test func `a proxy that is no URL is named without its password`() throws {
        let error = #expect(throws: KubernetesError.self) {
            try proxy("https://api.example.com", ["HTTPS_PROXY": "http://me:secret@"])
        }
        #expect(error.map { "\($0)".contains("HTTPS_PROXY") && !"\($0)".contains("secret") } ?? false)
    }
}
