import Egress
import FoundationEssentials
import TestSupport
import Testing

@testable import Workspaces

/// Sessions whose git server and whose provider have certificates of an authority of the user's own.
@Suite(.pods, .podmanOnly, .debian) struct OwnAuthorityTests {
    private let ask = """
        curl -sS -m 10 -H "x-api-key: $SCRIPTED_TOKEN" -H 'content-type: application/json' \
        -d '{"model":"claude-sonnet-4-5","max_tokens":100,"messages":[{"role":"user","content":"hi"}]}' \
        http://egress:8080/anthropic/v1/messages
        """

    /// A project that came from a git server of the authority, and an agent whose provider is of it too.
    private func withServers(
        _ body: (DeclaredFixture, GitServer, TestAuthority) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory("so-authority") { directory in
            let authority = try await TestAuthority.make(in: directory, names: [TestRuntime.host, "egress"])
            try await withModelServer([], address: "0.0.0.0", authority: authority) { model in
                try await withGitServer(authority) { server in
                    try await withDeclaredSessions { fixture in
                        let bare = server.directory + "/project.git"
                        try await GitRepository.git(
                            in: server.directory, ["clone", "-q", "--bare", fixture.source.directory, bare])
                        let remote = "https://\(TestRuntime.host):\(server.port)/project.git"
                        try await fixture.source.git("remote", "add", "origin", remote)
                        try fixture.declareScripted(
                            "exec sleep 100000", upstream: "https://\(TestRuntime.host):\(model.port)")
                        try fixture.define("agent: scripted\negress: {push: true}")
                        try await body(fixture, server, authority)
                    }
                }
            }
        }
    }

    private func trust(_ authority: TestAuthority, _ fixture: DeclaredFixture) throws {
        try write("certificate-authority: \(authority.authority)\n", to: fixture.directory + "/config/so/settings.yml")
    }

    @Test func `with the authority an agent fetches, pushes and asks, and without it nothing is believed`() async throws
    {
        try await withServers { fixture, server, authority in
            let service = fixture.service
            let checkout = PodPaths.checkout(try Project(fixture.source.directory).name)
            let fetch = "cd \(checkout) && git fetch origin 2>&1 && git rev-parse FETCH_HEAD"
            let unknown = try await service.start(fixture.request)
            let unanswered = try await fixture.inside(unknown, ask.replacing("-m 10", with: "-m 60"))
            #expect(unanswered.contains("so settings set certificate-authority"), "\(unanswered)")
            let refused = try await fixture.inside(unknown, fetch)
            #expect(refused.contains("so settings set certificate-authority"), "\(refused)")
            _ = try await service.finish(unknown, .discard)

            try trust(authority, fixture)
            let record = try await service.start(fixture.request)
            let answer = try await fixture.inside(record, ask)
            #expect(answer.contains("All done."), "\(answer)")
            let fetched = try await fixture.inside(record, fetch)
            #expect(fetched.hasSuffix("\(try await fixture.source.head()) 0"), "\(fetched)")
            let push =
                "cd \(checkout) && git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m pushed && git push -q origin HEAD:refs/heads/new"
            let pushed = try await fixture.inside(record, push)
            #expect(pushed == " 0", "\(pushed)")
            let subject = try await GitRepository.git(
                in: server.directory + "/project.git", ["log", "-1", "--format=%s", "new"])
            #expect(subject == "pushed")
            _ = try await service.finish(record, .discard)
        }
    }

    @Test func `programs of the pod that speak TLS themselves trust it too`() async throws {
        try await withServers { fixture, server, authority in
            try trust(authority, fixture)
            var led = fixture
            // A port of the egress leads to the server as it is.
            led.change = { [port = server.port] parts in
                let bytes = Data(parts.part.secrets["egress"] ?? [])
                guard var told = try? JSONDecoder().decode(EgressConfiguration.self, from: bytes) else { return }
                told.forwards.append(.init(port: port, host: TestRuntime.host, hostPort: port))
                parts.part.secrets["egress"] = (try? JSONEncoder().encode(told)).map(Array.init)
            }
            let service = led.service
            let record = try await service.start(led.request)
            let url = "https://egress:\(server.port)/project.git"
            let listed = try await led.inside(record, "git ls-remote \(url) HEAD | cut -f 1")
            #expect(listed == "\(try await fixture.source.head()) 0", "\(listed)")
            let get = "curl -sS -m 10 -o /dev/null -w '%{http_code}' '\(url)/info/refs?service=git-upload-pack'"
            #expect(try await led.inside(record, get) == "200 0")
            let nobody = try await led.inside(record, "env -u GIT_SSL_CAINFO -u SSL_CERT_FILE git ls-remote \(url)")
            #expect(!nobody.hasSuffix(" 0"), "\(nobody)")
            _ = try await service.finish(record, .discard)
        }
    }
}
