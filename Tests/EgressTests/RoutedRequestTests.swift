import Testing

@testable import Egress

@Suite struct RoutedRequestTests {
    private var configuration: EgressConfiguration {
        var value = EgressConfiguration(session: "s", address: "10.0.0.2", token: "worthless")
        value.providers = [
            Provider(
                name: "anthropic", dialect: .anthropic, upstream: "https://api.anthropic.com",
                headers: ["x-api-key": "real"])
        ]
        value.repositories = [RepositoryRoute(url: "https://github.com/owner/name.git", authorization: "Basic real")]
        return value
    }

    private func route(_ method: String, _ target: String, token: String = "worthless") -> RoutedRequest {
        RoutedRequest(configuration, method: method, target: target, tokens: [token])
    }

    private func isRefused(_ routed: RoutedRequest) -> Bool {
        if case .refused = routed { true } else { false }
    }

    @Test func `a request for an answer goes to the provider, with its query`() {
        guard case .provider(_, let url) = route("POST", "/anthropic/v1/messages?beta=true") else {
            return #expect(Bool(false), "it is refused")
        }
        #expect(url == "https://api.anthropic.com/v1/messages?beta=true")
    }

    @Test(arguments: [
        ("POST", "/anthropic/v1/organizations/api_keys"), ("DELETE", "/anthropic/v1/models/x"),
        ("POST", "/anthropic/v1/files"),
        ("POST", "/anthropic/v1/messages/../files"), ("POST", "/anthropic/v1/%66iles"), ("GET", "/openai/v1/models"),
        ("GET", "/anthropic//evil.example/v1/models"), ("POST", "/anthropic/v1/messages/batches"),
    ])
    func `what the credential could do besides is refused`(_ method: String, _ target: String) {
        #expect(isRefused(route(method, target)))
    }

    @Test func `without the session's token nothing is forwarded`() {
        for token in ["", "worthles", "worthlesss", "real"] {
            #expect(isRefused(route("POST", "/anthropic/v1/messages", token: token)))
        }
    }

    @Test func `the project's repository may be read`() {
        let path = "/git/github.com/owner/name.git"
        guard case .repository(_, let url) = route("GET", path + "/info/refs?service=git-upload-pack") else {
            return #expect(Bool(false), "it is refused")
        }
        #expect(url == "https://github.com/owner/name.git/info/refs?service=git-upload-pack")
        #expect(!isRefused(route("POST", path + "/git-upload-pack")))
    }

    @Test(arguments: [
        ("GET", "/git/github.com/owner/name.git/info/refs?service=git-receive-pack"),
        ("POST", "/git/github.com/owner/name.git/git-receive-pack"),
        ("GET", "/git/github.com/owner/other.git/info/refs?service=git-upload-pack"),
        ("GET", "/git/github.com/owner/name.git/../other/info/refs?service=git-upload-pack"),
        ("GET", "/git/evil.example/owner/name.git/info/refs?service=git-upload-pack"),
        ("GET", "/git/github.com/owner/name.git/HEAD"),
    ])
    func `pushing, and other repositories, are refused`(_ method: String, _ target: String) {
        #expect(isRefused(route(method, target)))
    }
}
