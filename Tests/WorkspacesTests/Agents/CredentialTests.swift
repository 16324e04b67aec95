import FoundationEssentials
import OrderedCollections
import TestSupport
import Testing

@testable import Workspaces

@Suite struct CredentialTests {
    private func agent() throws -> AgentDeclaration {
        try AgentDeclaration.load("claude-code", from: [AgentDeclarationTests.directory])
    }

    @Test func `the environment goes before what is stored, and neither shows its value`() async throws {
        try await withTemporaryDirectory { directory in
            let store = CredentialStore(directory: directory + "/credentials")
            try store.save("sk-stored\n", variable: "ANTHROPIC_API_KEY")
            let stored = try CredentialLookup(environment: [:], store: store).credentials(of: try agent())
            #expect(stored.first?.headers == ["x-api-key": "sk-stored"])
            let lookup = CredentialLookup(environment: ["CLAUDE_CODE_OAUTH_TOKEN": "sk-own"], store: store)
            let found = try lookup.credentials(of: try agent())
            #expect(found.first?.headers["authorization"] == "Bearer sk-own")
            #expect(!"\(found) \(stored)".contains("sk-"))
            #expect(!String(reflecting: found).contains("sk-own"))
        }
    }

    @Test func `what is stored only its owner can read, and what others can read is refused`() async throws {
        try await withTemporaryDirectory { directory in
            let store = CredentialStore(directory: directory + "/credentials")
            try store.save("sk-1", variable: "ANTHROPIC_API_KEY")
            let path = store.path("ANTHROPIC_API_KEY")
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            #expect(throws: WorkspaceError.self) { try store.value("ANTHROPIC_API_KEY") }
            #expect(try store.remove("ANTHROPIC_API_KEY"))
            #expect(try !store.remove("ANTHROPIC_API_KEY"))
        }
    }

    @Test func `an agent without a credential says how to give one`() async throws {
        try await withTemporaryDirectory { directory in
            let lookup = CredentialLookup(environment: [:], store: CredentialStore(directory: directory))
            let error = #expect(throws: WorkspaceError.self) { try lookup.credentials(of: try agent()) }
            #expect(error?.hint?.contains("so auth login anthropic") == true)
        }
    }
}
