import Deployments
import ExternalTools
import Runtimes
import Specs
import TestSupport
import Testing

private let forever = "trap 'exit 0' TERM; while :; do sleep 1000 & wait $$!; done"
private let serve = "while :; do printf 'HTTP/1.0 200 OK\\\\r\\\\n\\\\r\\\\nI am here' | nc -l -p 80; done"

/// Networks of one deployment on podman, with real pods: who reaches whom, and by what name.
@Suite(.pods, .podmanOnly) struct NetworkTests {
    /// What a shell command prints in a service, its exit code last.
    private func ask(_ deployment: OpenDeployment, _ service: String, _ script: String) async throws -> String {
        let output = try await deployment.capture(ExecRequest(service: service, command: ["sh", "-c", script]))
        return output.text + output.standardError + " \(output.status)"
    }

    private func get(_ address: String) -> String {
        "printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 2 \(address) 80 | tail -n 1; exit 0"
    }

    /// Waits until a service's answer comes: its `nc` listens a moment after its container runs, and again after each answer.
    private func answers(_ deployment: OpenDeployment, _ service: String, _ address: String) async throws {
        try await eventually("\(address) answers \(service)") {
            try await ask(deployment, service, get(address)).hasPrefix("I am here")
        }
    }

    private func stop(_ deployment: OpenDeployment) async throws {
        var options = StopOptions()
        (options.deleteVolumes, options.graceSeconds) = (true, 0)
        try await deployment.stop(options)
    }

    private func service(_ name: String, _ command: String, _ rest: String) -> String {
        "  \(name): {image: IMAGE, pull_policy: never, command: [\"/bin/sh\", \"-c\", \"\(command)\"], stop_grace_period: 1s, \(rest)}"
    }

    @Test func `services of two networks find each other by name, and nobody of the other network by its address`()
        async throws
    {
        try await withMemoryFixture { fixture in
            var definition = fixture.definition(
                """
                services:
                \(service("web", serve, "networks: [front]"))
                \(service("asks", forever, "networks: [front]"))
                \(service("db", serve, "networks: [back]"))
                \(service("both", forever, "networks: [front, back]"))
                networks: {front: {}, back: {internal: true}}
                """)
            definition.spec.network.isolates = true
            let deployment = try await fixture.service.open(definition)
            try await deployment.start()
            let namespace = deployment.model.namespace
            #expect(try await deployment.addresses(of: "web").map(\.network) == ["\(namespace)_front"])
            #expect(
                try await deployment.addresses(of: "both").map(\.network) == [
                    "\(namespace)_back", "\(namespace)_front",
                ])
            let db = try #require(try await deployment.addresses(of: "db").first?.address)
            try await answers(deployment, "asks", "web")
            #expect(try await ask(deployment, "asks", get("\(db)")).hasSuffix("I am here 0") == false)
            #expect(try await ask(deployment, "asks", "nslookup db").hasSuffix(" 1"))
            // The same address answers whoever is in its network.
            try await answers(deployment, "both", "\(db)")
            #expect(try await deployment.plan().isEmpty)
            try await stop(deployment)
        }
    }

    @Test
    func `an internal network without a name server leads nowhere, and its members have the addresses they ask for`()
        async throws
    {
        try await withMemoryFixture { fixture in
            let octet = Int.random(in: 0..<256)
            var definition = fixture.definition(
                """
                services:
                \(service("gate", serve, "networks: {inside: {ipv4_address: 10.178.\(octet).2}, outside: {}}"))
                \(service("shut", forever, "networks: [inside], dns: [10.178.\(octet).2], cap_drop: [ALL]"))
                \(service("free", forever, "networks: [outside]"))
                networks:
                  inside: {internal: true, ipam: {config: [{subnet: 10.178.\(octet).0/24}]}}
                  outside: {}
                """)
            definition.spec.network.disabledDNS = [Located("inside")]
            let deployment = try await fixture.service.open(definition)
            #expect(deployment.warnings.isEmpty, "\(deployment.warnings)")
            try await deployment.start()
            let inside = "\(deployment.model.namespace)_inside"
            let addresses = try await deployment.addresses(of: "gate")
            #expect(addresses.first { $0.network == inside }?.address == "10.178.\(octet).2")
            try await answers(deployment, "shut", "10.178.\(octet).2")
            #expect(
                try await ask(deployment, "shut", "grep nameserver /etc/resolv.conf")
                    == "nameserver 10.178.\(octet).2 0")
            #expect(try await ask(deployment, "shut", "nslookup gate 10.178.\(octet).2").hasSuffix(" 1"))
            let gate = try #require(addresses.first { $0.network != inside }?.address)
            #expect(try await ask(deployment, "shut", get("\(gate)")).hasSuffix("I am here 0") == false)
            try await answers(deployment, "free", "\(gate)")
            // Neither the host's end of the bridge nor any route is there; the free one has both.
            let look = "ip -4 route | grep -c default; ip -6 address show dev eth0 | grep -c inet6"
            #expect(try await ask(deployment, "shut", look) == "0\n0 1")
            #expect(try await ask(deployment, "free", look) == "1\n1 0")
            #expect(try await deployment.plan().isEmpty)

            definition.spec.network.disabledDNS = []
            let changed = try await fixture.service.open(definition)
            let error = await #expect(throws: DeploymentError.self) { try await changed.start() }
            #expect(error?.message.contains(inside) == true && error?.hint != nil, "\(error.map(\.description) ?? "")")
            try await stop(deployment)
        }
    }

    @Test func `a network that is nobody's to take is refused`() async throws {
        try await withMemoryFixture { fixture in
            let name = "so-unit-\(fixture.token)"
            _ = try await TestSupport.Podman.lines(
                "network", "create", "--label", "stack-orchestrator.dev/deployment=other", "\(name)_back")
            let compose = """
                services:
                \(service("db", forever, "networks: [back]"))
                networks: {back: {internal: true}}
                """
            let deployment = try await fixture.service.open(fixture.definition(compose))
            let error = await #expect(throws: DeploymentError.self) { try await deployment.start() }
            #expect(error?.code == .notPermitted)
            _ = try await TestSupport.Podman.lines("network", "rm", "\(name)_back")
            try await deployment.start()
            try await stop(deployment)
        }
    }
}
