import Deployments
import KubernetesClient
import KubernetesTestSupport
import SystemCrypto
import TestSupport
import Testing
import YAML

@testable import Runtimes

/// Values that exist already become a deployment's secrets, and none is ever lost by it.
@Suite struct SecretImportTests {
    private let compose = """
        services:
          db:
            image: localhost/x:1
            environment: {PASSWORD: "${PASSWORD}", TOKEN: "${TOKEN}"}
        """
    private let spec = "config:\n  PASSWORD: $generate:hex:16$\n  TOKEN: $generate:hex:8$\n"

    private func stored(_ key: String, _ cluster: ClusterFixture) async -> String? {
        let secret = await cluster.server.store.object("secrets", "generated-secrets", namespace: "so-test")
        return secret?.node["data"]?[key]?.text.flatMap { base64Decoded($0) }.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test func `before the first start, the imported values are the ones that the start takes`() async throws {
        try await withCluster { cluster in
            let handle = try cluster.handle(compose, spec: spec)
            #expect(try await handle.importSecrets(["PASSWORD": "old one"], replaces: false) == ["PASSWORD"])
            let token = await stored("TOKEN", cluster)
            try await handle.start()
            #expect(await stored("PASSWORD", cluster) == "old one")
            #expect(token?.count == 16)
            #expect(await stored("TOKEN", cluster) == token)
        }
    }

    @Test func `a value that exists is replaced only when that is wanted`() async throws {
        try await withCluster { cluster in
            let handle = try cluster.handle(compose, spec: spec)
            try await handle.start()
            let before = await stored("PASSWORD", cluster)
            let error = await #expect(throws: DeploymentError.self) {
                try await handle.importSecrets(["PASSWORD": "other"], replaces: false)
            }
            #expect(error?.code == .notPermitted)
            #expect(!(error?.description.contains("other") ?? true))
            #expect(await stored("PASSWORD", cluster) == before)
            #expect(try await handle.importSecrets(["PASSWORD": before ?? ""], replaces: false) == [])
            #expect(try await handle.importSecrets(["PASSWORD": "other"], replaces: true) == ["PASSWORD"])
            #expect(await stored("PASSWORD", cluster) == "other")
            #expect(try await handle.plan().items.contains { $0.name == "db" && $0.action == .update })
        }
    }

    @Test(arguments: [(["NAME": "x"], "NAME"), (["PASSWORD": ""], "PASSWORD")])
    func `all or nothing is imported`(given: [String: String], named: String) async throws {
        try await withTemporaryDirectory { directory in
            let store = SecretStore(file: directory + "/secrets")
            let generators: [String: DeploymentModel.SecretMaker] = ["PASSWORD": { "p" }, "TOKEN": { "t" }]
            let error = #expect(throws: DeploymentError.self) {
                try store.take(given.merging(["TOKEN": "v"]) { $1 }, generators: generators, replaces: true)
            }
            #expect(error?.message.contains(named) ?? false)
            let before = try store.load()
            #expect(before.isEmpty)
            let taken = try store.take(["TOKEN": "v"], generators: generators, replaces: false)
            #expect(taken == ["TOKEN"])
            let all = try store.ensure(generators)
            #expect(all == ["TOKEN": "v", "PASSWORD": "p"])
        }
    }
}
