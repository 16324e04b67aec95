import FoundationEssentials
import Orchestrator
import Synchronization
import SystemCrypto
import TestSupport
import Testing

/// GitHub as an app: its own token, and tokens of one repository.
@Suite struct GitHubAppTests {
    private func key() async throws -> RSAPrivateKey {
        let made = try await run(
            "openssl", ["genrsa", "-traditional", "2048"], environment: ProcessInfo.processInfo.environment)
        return try RSAPrivateKey(pem: Array(made.output.utf8))
    }

    private func client(
        _ forge: TestForge, _ key: RSAPrivateKey, now: @escaping @Sendable () -> Date = { Date() }
    ) -> GitHub {
        GitHub(
            api: forge.api, secret: TestForge.secret, authentication: .app(GitHubApp(id: "29310", key: key)),
            writeInterval: .zero, now: now)
    }

    @Test func `a token is minted for one repository, used for many requests, and renewed before its end`()
        async throws
    {
        try await withForge { forge in
            let key = try await key()
            await forge.state.install(key)
            let (one, other) = (try await forge.repository("acme/shop"), try await forge.repository("acme/blog"))
            let client = client(forge, key)
            async let first = client.defaultBranch(of: one)
            async let second = client.defaultBranch(of: one)
            #expect(try await [first, second] == ["main", "main"])
            #expect(await forge.state.mintedCount == 1)
            _ = try await client.defaultBranch(of: other)
            #expect(await forge.state.mintedCount == 2)
            let session = try await forge.clone(one)
            let commit = try await session.commit(["a.txt": "1\n"])
            try await client.push(
                BranchPush(
                    repository: one, gitDirectory: session.directory + "/.git", host: hostEnvironment, branch: "so/1-x",
                    commit: commit,
                    expected: nil))
            #expect(await forge.state.mintedCount == 2)
            #expect(try await client.ownLogin() == "so-bot[bot]")
        }
    }

    @Test func `a token that was revoked is replaced once`() async throws {
        try await withForge { forge in
            let key = try await key()
            await forge.state.install(key)
            let repository = try await forge.repository()
            let client = client(forge, key)
            _ = try await client.defaultBranch(of: repository)
            await forge.state.refuse(.tokenExpired)
            #expect(try await client.defaultBranch(of: repository) == "main")
            #expect(await forge.state.mintedCount == 2)
        }
    }

    @Test func `a token near its end is replaced before it is used`() async throws {
        try await withForge { forge in
            let key = try await key()
            await forge.state.install(key)
            let repository = try await forge.repository()
            let clock = Clock()
            let client = client(forge, key) { clock.now }
            _ = try await client.defaultBranch(of: repository)
            // The forge's clock stands: it refuses a token from the future, and so shows that another one was asked for.
            clock.advance(3600 - 599)
            await #expect(throws: OrchestratorError.self) { try await client.defaultBranch(of: repository) }
            #expect(await forge.state.count("POST", "/access_tokens") == 2)
            #expect(await forge.state.count("GET", "/installation") == 1)
        }
    }

    @Test func `a key that is not the app's is refused with a hint`() async throws {
        try await withForge { forge in
            await forge.state.install(try await key())
            let repository = try await forge.repository()
            let client = client(forge, try await key())
            let error = await #expect(throws: OrchestratorError.self) {
                try await client.defaultBranch(of: repository)
            }
            #expect(error?.code == .unavailable)
        }
    }
}

private final class Clock: Sendable {
    private let offset = Mutex(0.0)
    var now: Date { Date().addingTimeInterval(offset.withLock { $0 }) }
    func advance(_ seconds: Double) { offset.withLock { $0 += seconds } }
}
