import TestSupport
import Testing

@Suite(.pods, .podmanOnly) struct DemoTests {
    /// The built-in stack, end to end, with commands that a newcomer types.
    @Test
    func
        `the demo is built, deployed, reconfigured, stopped and started again, and its data outlives all but --delete-volumes`()
        async throws
    {
        try await withSandbox { sandbox in
            try await sandbox.must("build-containers", "--stack", "demo")
            try await sandbox.must(
                "--stack", "demo", "deploy", "init", "--deploy-to", "podman", "--map-ports-to-host",
                "localhost-fixed-random",
                "--output", sandbox.specFile)
            let spec = try read(sandbox.specFile)
            #expect(spec.contains("$generate:hex:16$"), "the hook's fragment is in the spec: \(spec)")
            // Beside the demo that scripts/quickstart may have deployed on this host.
            try sandbox.appendToSpec("namespace: \(sandbox.namespace)\n")
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
            try await sandbox.mustDeployment("start")

            let address = try await sandbox.mustDeployment("port", "page", "8080").line
            #expect(address.hasPrefix("127.0.0.1:"), "\(address)")
            let page = try await get("http://\(address)/")
            #expect(page.contains("<h1>Hello from spec.yml</h1>"))
            var values = try await rows(address)
            #expect(values["DEMO_GREETING"] == ["Hello from spec.yml", "spec.yml"])
            #expect(values["DEMO_FAREWELL"]?.first == "Goodbye from the compose file")
            #expect(values["DEMO_COLOUR"] == ["#20603f", "config/demo/page.env: env_file"])
            #expect(values["DEMO_TOKEN"]?.first == "(secret, 32 characters)")
            #expect(values["store"]?.first == "reachable, holds: apple banana cherry ")

            let token = try await sandbox.value(of: "DEMO_TOKEN", in: "store")
            let store = try await sandbox.containers("store")
            #expect(token.count == 32 && store.count == 1)

            try sandbox.appendToSpec(
                "overrides:\n  services:\n    page:\n      environment:\n        DEMO_FAREWELL: So long\n")
            try await sandbox.update()
            try await sandbox.mustDeployment("start")
            values = try await rows(address)
            #expect(values["DEMO_FAREWELL"]?.first == "So long")
            #expect(values["store"]?.first == "reachable, holds: apple banana cherry ")
            #expect(try await sandbox.containers("store") == store, "the store has not changed and runs on")

            try await sandbox.inside("store", "sh", "-c", "echo kept >/data/kept")
            try await sandbox.mustDeployment("stop")
            #expect(
                try await !isHeld(try #require(Int(address.split(separator: ":").last ?? ""))),
                "nothing answers any more")
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.inside("store", "cat", "/data/kept") == "kept")
            #expect(try await sandbox.value(of: "DEMO_TOKEN", in: "store") == token)

            try await sandbox.mustDeployment("stop", "--delete-volumes")
            try await sandbox.mustDeployment("start")
            #expect(
                try await sandbox.inside("store", "ls", "/data") == "apple\nbanana\ncherry",
                "seeded again, nothing kept"
            )
            #expect(
                try await sandbox.value(of: "DEMO_TOKEN", in: "store") != token, "deleted with the data it guarded"
            )
        }
    }

    @Test func `the store refuses to start without its token, and the start says so`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.must("build-containers", "--stack", "demo")
            try write(
                "stack: demo\ndeploy-to: podman\nnamespace: \(sandbox.namespace)\n", to: sandbox.specFile)
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
            let started = try await sandbox.deployment("start")
            #expect(started.status == 1, "\(started)")
            #expect(started.errors.contains("store") && started.errors.contains("DEMO_TOKEN is empty"), "\(started)")
        }
    }

    /// The lines of the page's plain form: name → value and source.
    private func rows(_ address: String) async throws -> [String: [String]] {
        let text = try await get("http://\(address)/cgi-bin/values")
        let lines = text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
        return Dictionary(lines.filter { $0.count == 3 }.map { ($0[0], [$0[1], $0[2]]) }) { first, _ in first }
    }
}
