import Egress
import ExternalTools
import FoundationEssentials
import TestSupport
import Testing
import YAML

@testable import Workspaces

/// A hostile agent in a pod of a cluster that enforces NetworkPolicies: what `EgressPodTests` tries on podman. What must not answer it answers its egress.
@Suite(
    .enabled(if: TestCluster.named != nil, "SO_TEST_KUBECONFIG names no cluster"), .sessionRuntime, .debian, .serialized
)
struct HostileAgentTests {
    private static let serve = """
        exec perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalAddr => "0.0.0.0", LocalPort => 3000, Listen => 5, ReuseAddr => 1); \
        while ($c = $s->accept) { print $c "HTTP/1.0 200 OK\\r\\n\\r\\nI am the victim"; close $c }'
        """

    /// A session that listens on port 3000, and one whose agent is hostile: it is allowed names that lead to the API and to the other session.
    private func withTwo(
        _ body: (DeclaredFixture, _ victim: SessionRecord, _ hostile: SessionRecord) async throws -> Void
    ) async throws {
        try await withDeclaredSessions { fixture in
            try fixture.declareScripted(Self.serve)
            try fixture.define(
                "agent: scripted\nports: [3000]\negress: {allow: [\"*.cluster.local\", api.example, victim.example]}"
            )
            let victim = try await fixture.service.start(fixture.request)
            let api = try #require(victim.surroundings?.answering.first?.prefix { $0 != ":" })
            let agent = try #require(try await addresses(victim)["agent"])
            let names = Node.map([("api.example", .string(String(api))), ("victim.example", .string(agent))])
            var evil = fixture
            evil.change = { parts in
                let service = parts.part.services[StackPart.egressService]?.mapping?.entries ?? []
                parts.part.services[StackPart.egressService] = .map(
                    service.map { ($0.key, $0.value) } + [("extra_hosts", names)])
            }
            let hostile = try await evil.service.start(evil.request)
            try await body(fixture, victim, hostile)
            for record in [victim, hostile] { _ = try await fixture.service.finish(record, .discard) }
        }
    }

    /// The addresses of a session's pods by service.
    private func addresses(_ record: SessionRecord) async throws -> [String: String] {
        let cluster = try #require(TestCluster.named)
        let format = #"jsonpath={range .items[*]}{.metadata.name} {.status.podIP}{"\n"}{end}"#
        let listed = try await cluster.kubectl("get", "pods", "--namespace", "so-\(record.id)", "--output", format)
        let pairs = listed.output.split(separator: "\n").map { $0.split(separator: " ") }.filter { $0.count == 2 }
        return Dictionary(pairs.map { (String($0[0].prefix { $0 != "-" }), String($0[1])) }) { $1 }
    }

    private func nodes() async throws -> [String] {
        let format = #"jsonpath={.items[*].status.addresses[?(@.type=="InternalIP")].address}"#
        let listed = try await #require(TestCluster.named).kubectl("get", "nodes", "--output", format)
        return listed.output.split(separator: " ").map(String.init)
    }

    private func probe(_ record: SessionRecord, _ word: String, _ places: [String], _ fixture: DeclaredFixture)
        async throws -> String
    {
        try await fixture.inside(record, "/so/so-egress probe \(word) \(places.joined(separator: " "))")
    }

    @Test func `it reaches its egress and nothing else: no API, no name server, no node, no other session, no host`()
        async throws
    {
        try await withTwo { fixture, victim, hostile in
            let (other, own) = (try await addresses(victim), try await addresses(hostile))
            let (agent, egress) = (try #require(other["agent"]), try #require(other["egress"]))
            let surroundings = try #require(hostile.surroundings)
            let servers = surroundings.nameServers.map { "dns:kubernetes.default.svc.cluster.local@\($0)" }
            let model = "\(TestRuntime.host):\(fixture.model.port)"
            let pods = ["\(agent):3000", "\(egress):8080", "\(egress):3128", "\(egress):80", "\(egress):20000"]
            let all =
                ["169.254.169.254:80", "1.1.1.1:443", model] + surroundings.answering + servers + pods
                + (try await nodes()).flatMap { ["\($0):6443", "\($0):10250", "\($0):22"] }
            let closed = try await probe(hostile, "closed", all, fixture)
            #expect(closed.hasSuffix(" 0") && !closed.contains("open "), "\(closed)")
            // The twins: its egress, or the victim's own, does reach them.
            #expect(!surroundings.answering.isEmpty)
            let twin = WorkspacePod(try fixture.service.deployment(hostile), service: StackPart.egressService)
            let seen = try await twin.capture(
                ["/so-egress", "probe", "open", model] + surroundings.answering + servers)
            #expect(seen.status == 0, "\(seen.text)")
            let beside = WorkspacePod(try fixture.service.deployment(victim), service: StackPart.egressService)
            try await eventually("the victim listens") {
                try await beside.capture(["/so-egress", "probe", "open", "\(agent):3000", "\(egress):3128"]).status == 0
            }
            let reached = try await probe(
                hostile, "open", ["\(own["egress"] ?? ""):3128", "\(surroundings.address):8080"], fixture)
            #expect(reached.hasSuffix(" 0"), "\(reached)")
        }
    }

    @Test func `a name that leads to a private address is refused, however it is asked for, and told`() async throws {
        try await withTwo { fixture, victim, hostile in
            let names = [
                "api.example", "victim.example", "kubernetes.default.svc.cluster.local",
                "egress.so-\(victim.id).svc.cluster.local",
            ]
            for name in names {
                let proxied = try await fixture.inside(hostile, "curl -sS -m 10 http://\(name)/ 2>&1")
                let tunnel = try await fixture.inside(hostile, "curl -sSk -m 10 https://\(name)/ 2>&1")
                let transparent = try await fixture.inside(
                    hostile, "curl -sSk -m 10 --noproxy '*' http://\(name)/ https://\(name)/ 2>&1")
                for answer in [proxied, tunnel, transparent] {
                    #expect(!answer.contains("I am the victim") && !answer.contains("apiVersion"), "\(name): \(answer)")
                }
            }
            let denied = try #require(try await fixture.service.egress(hostile)).denied
            for name in ["api.example:80", "api.example:443", "victim.example:80"] {
                #expect(denied.contains { $0.name == name && $0.reason == "private address" }, "\(name): \(denied)")
            }
        }
    }

    @Test func `it finds no credential, no token of a service account, and no way to the work of others`() async throws
    {
        try await withTwo { fixture, victim, hostile in
            let look = """
                env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null; find /run /var/run /so -type f -size -64k -exec cat {} + 2>/dev/null
                find / -name '*serviceaccoun[t]*' -not -path '/proc/*' -not -path '/usr/*' 2>/dev/null; grep CapEff /proc/self/status; id -u
                find / -name '*.sock' -not -path '/proc/*' 2>/dev/null; for p in 80 443 3128 8079 8080; do \
                timeout 3 bash -c "exec 3<>/dev/tcp/egress/$p && printf 'GET /status HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3"; done 2>/dev/null
                """
            let seen = try await fixture.inside(hostile, look)
            #expect(!seen.contains(DeclaredFixture.realKey))
            #expect(!seen.contains("serviceaccount") && !seen.contains("\"sequence\""), "\(seen)")
            #expect(seen.contains("CapEff:\t0000000000000000\n") && !seen.contains(victim.id.token), "\(seen)")
        }
    }
}
