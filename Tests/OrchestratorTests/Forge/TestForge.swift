import ExternalTools
import FoundationEssentials
import Orchestrator
import SystemCrypto
import TestSupport

/// A forge in this process: it answers as the recordings of the real ones do, holds real repositories behind `git http-backend`, and refuses what
/// they refuse. ``TestForgeState`` says what it keeps.
struct TestForge: Sendable {
    let kind: ForgeKind
    let state: TestForgeState
    let port: Int
    /// The bare repositories: `<root>/owner/name.git`.
    let root: String

    static let secret = Array("It's a Secret to Everybody".utf8)
    /// A token that a person made; of the login `so-bot`.
    static let token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
    static let login = "so-bot"

    var web: String { "http://127.0.0.1:\(port)" }
    var api: String { web + Self.prefix(kind) }

    static func prefix(_ kind: ForgeKind) -> String {
        switch kind {
        case .github: "/api/v3"
        case .gitea: "/api/v1"
        case .gitlab: "/api/v4"
        }
    }

    /// The client of this forge, with the token of a person.
    func client() -> any Forge {
        switch kind {
        case .github:
            GitHub(api: api, secret: Self.secret, authentication: .token(Self.token), writeInterval: .zero)
        case .gitea: Gitea(api: api, secret: Self.secret, token: Self.token)
        case .gitlab: GitLab(api: api, secret: Self.secret, token: Self.token)
        }
    }

    /// Makes a repository with one commit and returns it.
    func repository(_ name: String = "acme/shop", files: [String: String] = ["README.md": "shop\n"]) async throws
        -> RepositoryReference
    {
        let bare = "\(root)/\(name).git"
        try FileManager.default.createDirectory(atPath: bare, withIntermediateDirectories: true)
        try await GitRepository.git(in: bare, ["init", "-q", "--bare", "-b", "main"])
        try await GitRepository.git(in: bare, ["config", "http.receivepack", "true"])
        let work = try await GitRepository("\(root)/work-\(randomToken())")
        try await work.commit(files.mapValues { $0 })
        try await work.git("push", "-q", bare, "main")
        return await state.add(name)
    }

    /// A clone that a test changes and bundles, as an agent's session does.
    func clone(_ repository: RepositoryReference) async throws -> GitRepository {
        let directory = "\(root)/clone-\(randomToken())"
        try await GitRepository.git(in: root, ["clone", "-q", "\(root)/\(repository.name).git", directory])
        return GitRepository(at: directory)
    }

    /// What a branch points to.
    func branch(_ name: String, of repository: RepositoryReference) async throws -> String {
        try await GitRepository.git(in: "\(root)/\(repository.name).git", ["rev-parse", "refs/heads/\(name)"])
    }
}

/// Runs a forge for the body's time.
func withForge(
    _ kind: ForgeKind = .github, isolation: isolated (any Actor)? = #isolation,
    _ body: (TestForge) async throws -> Void
) async throws {
    try await withTemporaryDirectory("so-forge") { root in
        try await withHTTPServer { listening in
            let state = TestForgeState(kind, web: "http://127.0.0.1:\(listening.port)")
            let forge = TestForge(kind: kind, state: state, port: listening.port, root: root)
            listening.answer { await reply($0, forge) }
            try await body(forge)
        }
    }
}

private func reply(_ request: ForgeTestRequest, _ forge: TestForge) async -> ForgeTestReply {
    guard let name = request.gitRepository else { return await forge.state.reply(to: request) }
    await forge.state.countGit()
    if let address = await forge.state.gitMovedTo {
        return ForgeTestReply(status: 301, headers: ["Location": "\(address)\(request.path)?\(request.queryText)"])
    }
    guard await forge.state.mayUseGit(request, name) else {
        return ForgeTestReply(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"git\""])
    }
    do {
        return try await gitReply(request, forge.root)
    } catch {
        return ForgeTestReply(status: 500, body: Array("\(error)".utf8))
    }
}

/// RFC 3875, as git-http-backend(1) wants it.
private func gitReply(_ request: ForgeTestRequest, _ root: String) async throws -> ForgeTestReply {
    var command = Command("git", ["http-backend"], host: hostEnvironment, input: request.body)
    command.environment = [
        "GIT_PROJECT_ROOT": root, "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": request.path,
        "QUERY_STRING": request.queryText, "REQUEST_METHOD": request.method,
        "CONTENT_TYPE": request.headers["content-type"] ?? "", "CONTENT_LENGTH": "\(request.body.count)",
        "HTTP_CONTENT_ENCODING": request.headers["content-encoding"] ?? "",
        "GIT_PROTOCOL": request.headers["git-protocol"] ?? "", "REMOTE_USER": "so", "REMOTE_ADDR": "127.0.0.1",
        "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
    ]
    let output = try await command.run().standardOutput
    var reply = ForgeTestReply(status: 200)
    var rest = output[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: rest[..<end].filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        rest = rest[(end + 1)...]
        if line.isEmpty { break }
        let sides = line.split(separator: ":", maxSplits: 1).map { $0.drop { $0 == " " } }
        if sides[0] == "Status" {
            reply.status = Int(sides[1].prefix(3)) ?? 500
        } else {
            reply.headers[String(sides[0])] = String(sides[1])
        }
    }
    reply.body = Array(rest)
    return reply
}
