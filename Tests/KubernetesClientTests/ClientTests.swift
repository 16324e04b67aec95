import FoundationEssentials
import KubernetesClient
import KubernetesTestSupport
import Synchronization
import TestSupport
import Testing
import YAML

/// The client against a server that answers as a real one does.
@Suite struct ClientTests {
    private func configMap(_ data: [String: String], name: String = "c") -> Node {
        .map([
            ("apiVersion", .string("v1")), ("kind", .string("ConfigMap")),
            ("metadata", .map([("name", .string(name)), ("namespace", .string("default"))])),
            ("data", .map(data.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
        ])
    }

    private func withClient(_ body: (TestAPIServer, KubernetesClient) async throws -> Void) async throws {
        try await withAPIServer { server in
            let client = try await KubernetesClient(server.access)
            do {
                try await body(server, client)
            } catch {
                await client.shutDown()
                throw error
            }
            await client.shutDown()
        }
    }

    @Test func `an apply creates, changes, lets go of what it no longer names, and is silent about no change`()
        async throws
    {
        try await withClient { server, client in
            let made = try await client.apply(configMap(["a": "1", "b": "2"]))
            let same = try await client.apply(configMap(["a": "1", "b": "2"]))
            #expect(same.resourceVersion == made.resourceVersion)
            let less = try await client.apply(configMap(["a": "1"]))
            #expect(less.node["data"]?.strings == ["a": "1"])
            #expect(try await client.get(.configMaps, "c", namespace: "default")?.node["data"]?.strings == ["a": "1"])
        }
    }

    @Test func `a dry run changes nothing and tells what would be`() async throws {
        try await withClient { server, client in
            _ = try await client.apply(configMap(["a": "1"]))
            let would = try await client.apply(configMap(["a": "2"]), isDryRun: true)
            #expect(would.node["data"]?.strings == ["a": "2"])
            #expect(try await client.get(.configMaps, "c", namespace: "default")?.node["data"]?.strings == ["a": "1"])
        }
    }

    @Test func `another manager's field is a conflict that names it, and force takes it over`() async throws {
        try await withClient { server, client in
            await server.store.put("configmaps", configMap(["z": "9"]), by: "kubectl-edit")
            let error = await #expect(throws: KubernetesError.self) { try await client.apply(configMap(["z": "8"])) }
            #expect(error?.code == .conflict)
            #expect(error?.status?.fieldConflicts.map(\.field) == [".data.z"])
            #expect(error?.status?.fieldConflicts.first?.message.contains("kubectl-edit") ?? false)
            let forced = try await client.apply(configMap(["z": "8"]), force: true)
            #expect(forced.node["data"]?.strings == ["z": "8"])
        }
    }

    @Test
    func `what exists is not created, what is absent is not found, and a deletion says whether there was something`()
        async throws
    {
        try await withClient { server, client in
            _ = try await client.create(configMap(["a": "1"]))
            let error = await #expect(throws: KubernetesError.self) { try await client.create(configMap(["a": "2"])) }
            #expect(error?.code == .alreadyExists)
            #expect(try await client.get(.secrets, "absent", namespace: "default") == nil)
            #expect(try await client.delete(.configMaps, "c", namespace: "default", uid: "another") == false)
            #expect(try await client.delete(.configMaps, "c", namespace: "default"))
            #expect(try await client.delete(.configMaps, "c", namespace: "default") == false)
        }
    }

    @Test func `a list comes page by page`() async throws {
        try await withClient { server, client in
            for number in 0..<7 { _ = try await client.apply(configMap(["n": "\(number)"], name: "c\(number)")) }
            let list = try await client.list(.configMaps, Selection(namespace: "default"), pageSize: 3)
            #expect(list.items.map(\.name) == (0..<7).map { "c\($0)" })
            #expect(list.items.allSatisfy { $0.kind == "ConfigMap" })
        }
    }

    @Test func `a busy server is asked again when it says so`() async throws {
        try await withClient { server, client in
            _ = try await client.get(.configMaps, "c", namespace: "default")
            await server.store.fail(429, times: 2, retryAfter: 0)
            #expect(try await client.apply(configMap(["a": "1"])).name == "c")
            await server.store.fail(503, retryAfter: 0)
            #expect(try await client.get(.configMaps, "c", namespace: "default") != nil)
        }
    }

    @Test func `a creation is not sent twice where the first may have arrived`() async throws {
        try await withClient { server, client in
            await server.store.fail(503)
            let error = await #expect(throws: KubernetesError.self) { try await client.create(configMap(["a": "1"])) }
            #expect(error?.code == .server)
            #expect(await server.store.requests == 1)
        }
    }

    @Test func `a watch tells of all, of changes and of deletions, over broken connections and a forgotten past`()
        async throws
    {
        try await withClient { server, client in
            _ = try await client.apply(configMap(["a": "1"], name: "first"))
            let seen = Mutex<[String]>([])
            let task = Task {
                try await client.watch(.configMaps, Selection(namespace: "default")) { event in
                    let text =
                        switch event {
                        case .all(let list): "all " + list.items.map(\.name).joined(separator: ",")
                        case .changed(let object): "changed \(object.name)"
                        case .deleted(let object): "deleted \(object.name)"
                        }
                    seen.withLock { $0.append(text) }
                }
            }
            try await eventually("the list") { seen.withLock { $0.contains("all first") } }
            _ = try await client.apply(configMap(["a": "1"], name: "second"))
            try await eventually("a change") { seen.withLock { $0.contains("changed second") } }
            await server.store.dropWatches()
            _ = try await client.apply(configMap(["a": "1"], name: "third"))
            try await eventually("a change after a break") { seen.withLock { $0.contains("changed third") } }
            await server.store.forgetPast()
            await server.store.dropWatches()
            try await client.delete(.configMaps, "first", namespace: "default")
            try await eventually("what the past held") {
                seen.withLock { $0.contains("deleted first") || $0.contains("all second,third") }
            }
            task.cancel()
            _ = await task.result
        }
    }

    @Test func `who the server is is verified, and who asks too`() async throws {
        try await withAPIServer { server in
            var access = try server.access
            access.credentials = .token("wrong")
            var client = try await KubernetesClient(access)
            var error = await #expect(throws: KubernetesError.self) {
                try await client.get(.configMaps, "c", namespace: "default")
            }
            #expect(error?.code == .unauthorized)
            await client.shutDown()

            access = try server.access
            access.certificateAuthority = nil
            client = try await KubernetesClient(access)
            error = await #expect(throws: KubernetesError.self) {
                try await client.get(.configMaps, "c", namespace: "default")
            }
            #expect(error?.code == .unreachable)
            await client.shutDown()

            access = try server.access
            access.serverName = "api.test"
            client = try await KubernetesClient(access)
            #expect(try await client.get(.configMaps, "c", namespace: "default") == nil)
            await client.shutDown()
        }
    }

    @Test func `a plug-in gives the token, and one that fails is told with its hint`() async throws {
        try await withAPIServer { server in
            try await withTemporaryDirectory { directory in
                let answer =
                    #"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"test-token"}}"#
                try write(
                    "#!/bin/sh\n[ -n \"$KUBERNETES_EXEC_INFO\" ] && echo '\(answer)'\n", to: directory + "/plugin",
                    mode: 0o755)
                let text = try String(contentsOfFile: server.kubeconfig, encoding: .utf8)
                let user = "user: {exec: {command: \(directory)/plugin, apiVersion: client.authentication.k8s.io/v1}}"
                let authority = server.kubeconfig.replacing("kubeconfig", with: "cert.pem")
                let config = text.replacing("user: {token: test-token}", with: user).replacing(
                    "cert.pem", with: authority)
                try write(config, to: directory + "/kubeconfig")
                let client = try await KubernetesClient(
                    ClusterAccess.resolve(file: directory + "/kubeconfig", environment: [:]))
                #expect(try await client.get(.configMaps, "c", namespace: "default") == nil)
                await client.shutDown()
                try write(
                    config.replacing(
                        "\(directory)/plugin", with: "so-no-such-plugin, installHint: get it from the moon"),
                    to: directory + "/kubeconfig")
                let error = await #expect(throws: KubernetesError.self) {
                    try await KubernetesClient(ClusterAccess.resolve(file: directory + "/kubeconfig", environment: [:]))
                }
                #expect(error?.code == .credentials)
                #expect(error?.hint == "get it from the moon")
            }
        }
    }
}
