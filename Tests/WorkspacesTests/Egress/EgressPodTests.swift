import Egress
import FoundationEssentials
import OrderedCollections
import TestSupport
import Testing

@testable import Workspaces

/// A hostile agent in a pod on the session's internal network, beside the real egress pod. Each refusal has its twin: the same reach where
/// the guard is taken away, so that a test which finds nothing has looked.
@Suite(.pods, .podmanOnly, .serialized) struct EgressPodTests {
    @Test func `the agent's pod reaches its egress and nothing else, and the probe would see it`() async throws {
        try await withEgressPods { pods in
            let probe = EgressProbe(
                program: "/so/so-egress", egress: pods.address, outside: pods.outside, gateways: [],
                api: pods.neighbour + ":80")
            let twin = try await Podman.run(["exec", pods.egress] + probe.inEgress)
            let inside = try await pods.agent(probe.inAgent)
            try probe.judge(status: inside.status, output: inside.output, twin: twin.status)
            #expect(inside.output.contains("closed 169.254.169.254:80"))
            #expect(inside.output.contains("closed dns:example.com"))
            let own = try await pods.agent(["/so/so-egress", "probe", "open", "dns:pypi.org", pods.address + ":3128"])
            #expect(own.succeeded, "\(own)")

            // Without the internal network, the canary answers.
            let outside = try await pods.agent(probe.inAgent, network: pods.outsideNetwork)
            #expect(outside.output.contains("open \(pods.outside[0]):8079"), "\(outside)")
            #expect(throws: WorkspaceError.self) {
                try probe.judge(status: outside.status, output: outside.output, twin: twin.status)
            }
        }
    }

    @Test func `a name that resolves to a private address is refused, however it is asked for`() async throws {
        try await withEgressPods { pods in
            // evil.example is allowed, and leads to a neighbour that listens.
            let get = #"printf 'GET http://evil.example/ HTTP/1.0\r\n\r\n' | nc -w 5 egress 3128"#
            let plain = try await pods.agent(["sh", "-c", get])
            #expect(plain.output.contains(" 403 "), "\(plain)")
            let connect = #"printf 'CONNECT evil.example:443 HTTP/1.0\r\n\r\n' | nc -w 5 egress 3128"#
            let tunnel = try await pods.agent(["sh", "-c", connect])
            #expect(tunnel.output.contains(" 403 "), "\(tunnel)")
            let host = #"printf 'GET / HTTP/1.0\r\nHost: evil.example\r\n\r\n' | nc -w 5 evil.example 80"#
            let transparent = try await pods.agent(["sh", "-c", host])
            #expect(transparent.output.contains(" 403 "), "\(transparent)")
            let denied = try await pods.status().denied
            #expect(denied.contains { $0.name == "evil.example:80" && $0.reason == "private address" })
            // The neighbour does answer where it is declared.
            let declared = try await pods.agent(["sh", "-c", #"printf 'GET / HTTP/1.0\r\n\r\n' | nc -w 5 egress 5432"#])
            #expect(declared.output.contains("I am the neighbour"), "\(declared)")
        }
    }

    @Test func `the real credential is nowhere that the agent can look, and the log has no door`() async throws {
        try await withEgressPods { pods in
            let look = """
                env; cat /proc/*/environ /proc/*/cmdline /proc/net/tcp 2>/dev/null; ls -R /run 2>/dev/null; find / -xdev -type f -size -64k \
                -path '*egress*' -exec cat {} + 2>/dev/null; for p in 80 443 3128 8079 8080; do \
                printf 'GET /status HTTP/1.0\\r\\n\\r\\n' | nc -w 1 egress $p; printf 'GET /run/secrets/egress.json HTTP/1.0\\r\\n\\r\\n' \
                | nc -w 1 egress $p; done
                """
            let seen = try await pods.agent(["sh", "-c", look])
            #expect(!seen.everything.contains(EgressPods.realKey))
            #expect(seen.everything.contains("this is not the session's token"), "\(seen)")
            #expect(!seen.everything.contains("\"sequence\""))
            // Who may run a program in the egress pod reads it.
            #expect(try await pods.status().denied.contains { $0.reason == "token" })
        }
    }

    @Test func `the egress pod needs no privilege, and little memory`() async throws {
        try await withEgressPods { pods in
            let stats = try await Podman.lines("stats", "--no-stream", "--format", "{{.MemUsageBytes}}", pods.egress)
            let used = try #require(stats.last?.split(separator: "/").first.map { String($0).trimmingCharacters() })
            let units: [(String, Double)] = [
                ("GiB", 1_073_741_824), ("MiB", 1_048_576), ("KiB", 1_024), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3),
                ("B", 1),
            ]
            let unit = try #require(units.first { used.hasSuffix($0.0) })
            let bytes = try #require(Double(used.dropLast(unit.0.count))) * unit.1
            #expect(bytes < 15e6, "\(used)")
        }
    }
}

/// One session's pods, made with podman itself.
struct EgressPods: Sendable {
    static let realKey = "sk-real-credential-9876543210"

    let name: String
    let address: String
    let gateway: String
    /// A pod of somebody else's that listens on port 80.
    let neighbour: String
    let outside: [String]
    let program: String

    var egress: String { name + "-egress" }
    var insideNetwork: String { name + "-in" }
    var outsideNetwork: String { name + "-out" }

    func agent(_ command: [String], network: String? = nil, options: [String] = []) async throws -> Finished {
        let image = try await Podman.testImage()
        return try await Podman.run(
            [
                "run", "--rm", "--network", network ?? insideNetwork, "--dns", address, "--add-host",
                "egress:\(address)",
                "-v", "\(program):/so/so-egress:ro", "--cap-drop", "ALL", "--user", "1000:1000",
            ] + options + [image] + command)
    }

    func status() async throws -> EgressStatus {
        let finished = try await Podman.run(["exec", egress, "/so-egress", "status"])
        return try JSONDecoder().decode(EgressStatus.self, from: Data(finished.output.utf8))
    }
}

private struct NoPods: Error, CustomStringConvertible { let description: String }

/// Runs the body with an egress pod in two networks, and a neighbour in a third.
private func withEgressPods(
    isolation: isolated (any Actor)? = #isolation, _ body: (EgressPods) async throws -> Void
) async throws {
    let name = "so-eg-\(randomToken(6))"
    let octet = Int.random(in: 0..<256)
    let address = "10.177.\(octet).2"
    let image = try await egressImage()
    try await withTemporaryDirectory { directory in
        do {
            try await podman(
                "network", "create", "--internal", "--disable-dns", "--subnet", "10.177.\(octet).0/24", name + "-in")
            try await podman("network", "create", name + "-out")
            let busybox = try await Podman.testImage()
            let answer = #"while true; do printf 'HTTP/1.0 200 OK\r\n\r\nI am the neighbour' | nc -l -p 80; done"#
            try await podman(
                "run", "-d", "--name", name + "-other", "--network", name + "-out", busybox, "sh", "-c", answer)
            let neighbour = try await Podman.lines(
                "inspect", "-f", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}", name + "-other")[0]
            var configuration = EgressConfiguration(session: name, address: address, token: "so-session-token")
            configuration.allow = ["pypi.org", "evil.example"]
            configuration.hosts = ["egress": address]
            configuration.providers = [
                Provider(
                    name: "anthropic", dialect: .anthropic, upstream: "http://192.0.2.1",
                    headers: ["x-api-key": EgressPods.realKey])
            ]
            configuration.forwards = [.init(port: 5432, host: neighbour, hostPort: 80)]
            try write(
                String(decoding: try JSONEncoder().encode(configuration), as: UTF8.self), to: directory + "/egress.json"
            )
            try FileManager.default.createDirectory(atPath: directory + "/state", withIntermediateDirectories: true)
            for path in ["", "/state", "/egress.json"] {
                try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory + path)
            }
            try await podman(
                "run", "-d", "--name", name + "-egress", "--network", "\(name)-in:ip=\(address)", "--network",
                name + "-out",
                "--user", "65532:65532", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--read-only",
                "--sysctl", "net.ipv4.ip_unprivileged_port_start=0", "--add-host", "evil.example:\(neighbour)",
                "-v", "\(directory)/egress.json:/run/secrets/egress.json:ro", "-v", "\(directory)/state:/state", image)
            try await eventually("the egress is up") {
                try await Podman.run(["exec", name + "-egress", "/so-egress", "check"]).succeeded
            }
            let outside = try await Podman.lines("exec", name + "-egress", "/so-egress", "addresses").filter {
                $0 != address
            }
            let pods = EgressPods(
                name: name, address: address, gateway: "10.177.\(octet).1", neighbour: neighbour, outside: outside,
                program: AgentCLIs.egress)
            try await body(pods)
        } catch {
            await clear(name)
            throw error
        }
        await clear(name)
    }
}

private func clear(_ name: String) async {
    _ = try? await Podman.run(["rm", "-f", "-t", "0", name + "-egress", name + "-other"])
    _ = try? await Podman.run(["network", "rm", "-f", name + "-in", name + "-out"])
}

private func podman(_ arguments: String...) async throws {
    let finished = try await Podman.run(arguments)
    guard finished.succeeded else { throw NoPods(description: "\(finished)") }
}

/// The image of the recipe, as it would be built.
private func egressImage() async throws -> String {
    let recipe = try EgressImage.recipe(
        beside: Shared.packageRoot + "/.build/debug/so", digestDirectory: Shared.packageRoot + "/.build/digests")
    if try await Podman.run(["image", "exists", recipe.tag]).succeeded { return recipe.tag }
    try await withTemporaryDirectory { context in
        try write(recipe.containerfile, to: context + "/Containerfile")
        for (name, file) in recipe.contextFiles {
            switch file {
            case .bytes(let bytes, _): try Data(bytes).write(to: URL(filePath: "\(context)/\(name)"))
            case .file(let path): try FileManager.default.copyItem(atPath: path, toPath: "\(context)/\(name)")
            }
        }
        let built = try await Podman.run(["build", "-q", "-t", recipe.tag, context])
        guard built.succeeded else { throw NoPods(description: "\(built)") }
    }
    return recipe.tag
}
