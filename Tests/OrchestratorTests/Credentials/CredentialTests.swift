import FoundationEssentials
import KubernetesClient
import KubernetesTestSupport
import Orchestrator
import TestSupport
import Testing

/// What every backend has to do: one list, run on each of them.
@Suite struct CredentialTests {
    enum Backend: String, CaseIterable, Sendable {
        case file, vault, kubernetes

        /// A backend that cannot run here is skipped by the condition of the test.
        var isHere: Bool { self != .vault || OpenBao.program != nil }
    }

    private func with(_ kind: Backend, _ body: (any CredentialBackend) async throws -> Void) async throws {
        switch kind {
        case .file:
            try await withTemporaryDirectory { directory in
                try await body(
                    FileCredentials(directory: directory + "/credentials", keys: .file(directory + "/key")))
            }
        case .vault:
            try await withOpenBao { server in
                try await body(
                    VaultCredentials(address: server.address, authentication: .token(OpenBao.rootToken)))
            }
        case .kubernetes:
            try await withAPIServer { server in
                let client = try await KubernetesClient(server.access)
                do {
                    try await body(KubernetesCredentials(client, namespace: "default"))
                } catch {
                    await client.shutDown()
                    throw error
                }
                await client.shutDown()
            }
        }
    }

    @Test(arguments: Backend.allCases.filter(\.isHere)) func `a credential is kept, replaced, listed and removed`(
        kind: Backend
    ) async throws {
        try await with(kind) { backend in
            try await backend.check()
            #expect(try await backend.names().isEmpty)
            #expect(try await backend.value(of: "ANTHROPIC_API_KEY") == nil)
            let odd = Array("sk-ant \"quoted\" \\ ü\nsecond line".utf8)
            try await backend.set("ANTHROPIC_API_KEY", to: odd)
            try await backend.set("OPENAI_API_KEY", to: Array("1".utf8))
            try await backend.set("OPENAI_API_KEY", to: Array("2".utf8))
            #expect(try await backend.value(of: "ANTHROPIC_API_KEY") == odd)
            #expect(try await backend.value(of: "OPENAI_API_KEY") == Array("2".utf8))
            #expect(try await backend.names() == ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"])
            try await backend.remove("ANTHROPIC_API_KEY")
            try await backend.remove("ANTHROPIC_API_KEY")
            #expect(try await backend.value(of: "ANTHROPIC_API_KEY") == nil)
            #expect(try await backend.names() == ["OPENAI_API_KEY"])
        }
    }

    @Test(arguments: Backend.allCases.filter(\.isHere), ["../key", "", ".hidden", "a/b", "a b", "-x", "ü"])
    func `a name leads nowhere else`(kind: Backend, name: String) async throws {
        guard kind != .vault else { return try await refusedByVault(name) }
        try await with(kind) { backend in
            let error = await #expect(throws: OrchestratorError.self) { try await backend.set(name, to: [1]) }
            #expect(error?.code == .invalid)
            await #expect(throws: OrchestratorError.self) { try await backend.value(of: name) }
            await #expect(throws: OrchestratorError.self) { try await backend.remove(name) }
        }
    }

    /// The name is refused before a server is asked: none is there.
    private func refusedByVault(_ name: String) async throws {
        let backend = VaultCredentials(address: "http://127.0.0.1:1", authentication: .token("t"))
        let error = await #expect(throws: OrchestratorError.self) { try await backend.set(name, to: [1]) }
        #expect(error?.code == .invalid)
    }
}
