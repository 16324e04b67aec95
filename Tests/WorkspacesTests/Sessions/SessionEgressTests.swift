import Egress
import TestSupport
import Testing

@testable import Workspaces

/// Sessions with their egress, as `so session` starts them: real pods, a scripted agent and a scripted provider.
@Suite(.pods, .sessionRuntime, .debian, .serialized) struct SessionEgressTests {
    private let ask = """
        curl -sS -m 10 -H "x-api-key: $SCRIPTED_TOKEN" -H 'content-type: application/json' \
        -d '{"model":"claude-sonnet-4-5","max_tokens":100,"messages":[{"role":"user","content":"hi"}]}' \
        http://egress:8080/anthropic/v1/messages
        """

    @Test(.podmanOnly)
    func `the egress is the agent's only way out, holds the credential, and tells what was denied and spent`()
        async throws
    {
        try await withDeclaredSessions { fixture in
            try fixture.declareScripted("exec sleep 100000")
            try fixture.define("agent: scripted\negress: {allow: [allowed.example]}\nports: [3000]")
            let service = fixture.service
            let record = try await service.start(fixture.request)
            let addresses = try #require(record.addresses)

            let answer = try await fixture.inside(record, ask)
            #expect(answer.contains("All done."), "\(answer)")
            let seen = try fixture.model.requests()
            #expect(seen.count == 1 && seen.allSatisfy { $0.contains(DeclaredFixture.realKey) })

            let look = "env; cat /proc/*/environ; cat ~/.so/gate; cat /etc/hosts /etc/resolv.conf; mount"
            let found = try await fixture.inside(record, look)
            #expect(!found.contains(DeclaredFixture.realKey))
            #expect(found.contains("HTTPS_PROXY=http://egress:3128"))
            #expect(found.contains("closed \(addresses.egressOutside):8079"))
            #expect(found.contains("nameserver \(addresses.egress)\n"))
            let places = [
                "169.254.169.254:80", "\(addresses.gateway):22", "\(addresses.egressOutside):8079",
                "dns:denied.example",
            ]
            let probe = try await fixture.inside(
                record, "/so/so-egress probe closed \(places.joined(separator: " "))")
            #expect(probe.hasSuffix(" 0"), "\(probe)")
            #expect(try await fixture.inside(record, "/so/so-egress probe open dns:allowed.example").hasSuffix(" 0"))
            #expect(try await fixture.inside(record, "curl -sS -m 5 http://denied.example/").contains("not allowed"))

            let egress = try #require(try await service.egress(record))
            #expect(egress.requests == 1 && egress.cost > 0)
            #expect(egress.denied.contains { $0.name == "denied.example:80" })
            // What so asks itself is no wish of the agent's.
            #expect(!egress.denied.contains { $0.name.hasPrefix("example.com") })
            let end = try await service.finish(record)
            #expect(end.record.egress?.requests == 1 && end.problems == [])
            #expect(try await service.egress(end.record)?.cost == egress.cost)
        }
    }

    @Test(.podmanOnly, arguments: ["{deny-all: false}", "{allow: [example.com]}"])
    func `a session whose egress lets the probed name through begins, and its gate still looks`(egress: String)
        async throws
    {
        try await withDeclaredSessions { fixture in
            try fixture.declareScripted("exec sleep 100000")
            try fixture.define("agent: scripted\negress: \(egress)")
            let service = fixture.service
            let record = try await service.start(fixture.request)
            let found = try await fixture.inside(record, "cat ~/.so/gate; /so/so-egress probe open dns:example.com")
            #expect(found.contains("closed dns:example.com=") && found.contains("open dns:example.com"), "\(found)")
            _ = try await service.finish(record, .discard)
        }
    }

    @Test(.podmanOnly) func `what the gate finds open ends the start, and nothing is left`() async throws {
        try await withDeclaredSessions { fixture in
            try fixture.declareScripted("echo ran >ran.txt; exec sleep 100000")
            try fixture.define("agent: scripted")
            var open = fixture
            // As if the runtime did not hold the pod back: a place that answers stands for the outside.
            open.change = { $0.part.gate.append("\($0.part.agentDNS[0]):3128") }
            let error = await #expect(throws: (any Error).self) { try await open.service.start(open.request) }
            #expect(error.map { "\($0)" }?.contains("open 10.") == true, "\(error.map { "\($0)" } ?? "")")
            #expect(try open.service.store.all() == [])
        }
    }

    @Test(.podmanOnly) func `a port of the agent's pod answers at its URL, and two sessions never have the same`()
        async throws
    {
        try await withDeclaredSessions { fixture in
            let serve = """
                exec perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalAddr => "0.0.0.0", LocalPort => 3000, Listen => 5, ReuseAddr => 1); \
                while ($c = $s->accept) { <$c>; print $c "HTTP/1.0 200 OK\\r\\n\\r\\nI am $ENV{SCRIPTED_TOKEN}"; close $c }'
                """
            try fixture.declareScripted(serve)
            try fixture.define("agent: scripted\nports: [3000]")
            let service = fixture.service
            async let first = service.start(fixture.request)
            async let second = service.start(fixture.request)
            let records = [try await first, try await second]
            #expect(Set(records.flatMap(\.ports.values)).count == 2)
            #expect(Set(records.compactMap(\.addresses)).count == 2)
            for record in records {
                let place = try #require(service.urls(record).first)
                #expect(place.url == "http://\(record.projectName)-\(record.id.token).localhost:\(place.hostPort)")
                try await eventually("its port answers") {
                    let page = try await run(
                        "curl", ["-sS", "-m", "5", "http://127.0.0.1:\(place.hostPort)/"], environment: [:])
                    return page.output == "I am \(record.token ?? "")"
                }
            }
            // One session's agent reaches neither the other's pods nor its ports.
            let other = try #require(records[1].addresses)
            let places = ["\(other.agent):3000", "\(other.egress):8080", "\(other.egressOutside):20000"]
            let probe = try await fixture.inside(
                records[0], "/so/so-egress probe closed \(places.joined(separator: " "))")
            #expect(probe.hasSuffix(" 0"), "\(probe)")
            let stopped = try await service.stop(records[0])
            let resumed = try await service.resume(stopped)
            #expect(resumed.ports == records[0].ports && resumed.token == records[0].token)
            for record in [resumed, records[1]] { _ = try await service.finish(record) }
        }
    }

    @Test(.podmanOnly) func `with routes its ports answer by their names alone`() async throws {
        try await withDeclaredSessions { fixture in
            let (http, https) = (try freePort(), try freePort())
            let proxy = "so-test-routes-\(http)"
            let serve = """
                exec perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalAddr => "0.0.0.0", LocalPort => 3000, Listen => 5, ReuseAddr => 1); \
                while ($c = $s->accept) { <$c>; print $c "HTTP/1.0 200 OK\\r\\n\\r\\nI am $ENV{SCRIPTED_TOKEN}"; close $c }'
                """
            try fixture.declareScripted(serve)
            try fixture.define("agent: scripted\nports: [3000, 4000]")
            try write(
                "routes: true\ncaddy-ingress-image: \(try await Caddy.image())\n",
                to: fixture.directory + "/config/so/settings.yml")
            var routed = fixture
            routed.more = ["SO_HTTP_PORT": "\(http)", "SO_HTTPS_PORT": "\(https)", "SO_ROUTES_NAME": proxy]
            let service = routed.service
            let record = try await service.start(routed.request)
            let name = "\(record.projectName)-\(record.id.token).localhost"
            #expect(
                service.urls(record).map(\.url) == ["http://\(name):\(http)/", "http://4000.\(name):\(http)/"])
            try await eventually("its name answers") {
                let page = try await run(
                    "curl", ["-sS", "-m", "5", "-H", "Host: \(name)", "http://127.0.0.1:\(http)/"], environment: [:])
                return page.output == "I am \(record.token ?? "")"
            }
            // The proxy is in none of the networks that an agent is in.
            let networks = try await TestSupport.Podman.run([
                "ps", "--filter", "name=\(proxy)", "--format", "{{.Networks}}",
            ])
            #expect(networks.output.contains("outside") && !networks.output.contains("inside"), "\(networks)")
            _ = try await service.finish(record)
            await TestSupport.Podman.removeAll(named: proxy)
        }
    }

    @Test(.podmanOnly)
    func `another session's work, volumes and processes are out of reach, and what both share cannot be written`()
        async throws
    {
        try await withDeclaredSessions { fixture in
            try fixture.declareScripted("exec sleep 100000")
            try fixture.define("agent: scripted")
            let service = fixture.service
            let victim = try await service.start(fixture.request)
            _ = try await fixture.inside(
                victim, "echo secret >\(PodPaths.checkout(victim.projectName))/of-the-victim.txt")
            _ = try await service.snapshot(victim)
            let hostile = try await service.start(fixture.request)
            let look = """
                find / -xdev -name 'of-the-victim*' 2>/dev/null; find / -name '*.sock' -not -path '/proc/*' 2>/dev/null
                grep -c '\(victim.id)' /proc/self/mountinfo; git -c safe.directory='*' -C \(PodPaths.baseStore) log --all --format=%s -- of-the-victim.txt
                touch \(PodPaths.baseStore)/x \(PodPaths.baseStore)/objects/x \(PodPaths.scripts)/x 2>&1 | grep -c Read-only
                [ ! -w /so/so-egress ] || echo writable
                for p in /proc/[0-9]*; do [ "$p" = /proc/1 ] || ls "$p/root/so/scripts" >/dev/null 2>&1 || echo foreign; done | head -1
                mount -t tmpfs none /mnt 2>&1 | grep -c 'denied\\|must be superuser\\|not permitted'
                grep CapEff /proc/self/status
                """
            let seen = try await fixture.inside(hostile, look)
            #expect(seen == "0\n3\n1\nCapEff:\t0000000000000000 0", "\(seen)")
            for record in [victim, hostile] { _ = try await service.finish(record, .discard) }
        }
    }

    @Test func `an answer whose client has left costs what it costs`() async throws {
        try await withDeclaredSessions { fixture in
            try fixture.declareScripted("exec sleep 100000")
            try fixture.define("agent: scripted")
            let service = fixture.service
            let record = try await service.start(fixture.request)
            _ = try await fixture.inside(record, ask)
            let one = try #require(try await service.egress(record)?.cost)
            let left = ask.replacing("-m 10", with: "-m 0.3").replacing("\"hi\"", with: "\"slowly\"")
            #expect(try await fixture.inside(record, left).hasSuffix(" 28"))
            try await eventually("it is counted") { try await service.egress(record)?.requests == 2 }
            #expect(try await service.egress(record)?.cost == 2 * one)
            _ = try await service.finish(record)
        }
    }

    @Test func `a budget ends with words that the agent can show`() async throws {
        try await withDeclaredSessions { fixture in
            try fixture.declareScripted("exec sleep 100000")
            try fixture.define("agent: scripted\nbudget: {tokens: 10}")
            let service = fixture.service
            let record = try await service.start(fixture.request)
            _ = try await fixture.inside(record, ask)
            let refused = try await fixture.inside(record, ask)
            #expect(refused.contains("the budget of this session is used up"), "\(refused)")
            #expect(try await service.egress(record)?.refusedByBudget == 1)
            // The account outlives the pods.
            let resumed = try await service.resume(try await service.stop(record))
            #expect(try await fixture.inside(resumed, ask).contains("the budget of this session is used up"))
            _ = try await service.finish(resumed)
        }
    }
}
