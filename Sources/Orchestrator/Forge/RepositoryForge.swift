/// What all forges do alike: repositories below one address, whose API and git a token opens.
protocol RepositoryForge: Forge {
    var connection: ForgeConnection { get }
    /// Where people and git go, without a slash at its end.
    var web: String { get }
    var login: OwnLogin { get }
    /// Whom git says it is.
    var gitUser: String { get }
    /// How many parts a repository's name has.
    static var segments: ClosedRange<Int> { get }
    /// Where the API has a repository whose name was checked.
    static func path(below name: String) -> String

    func readOwnLogin() async throws -> String
}

extension RepositoryForge {
    /// A path below a repository. The name becomes a path: it is checked first.
    func path(_ repository: RepositoryReference, _ rest: String = "") throws(OrchestratorError) -> String {
        Self.path(below: try repositoryPath(repository.name, segments: Self.segments)) + rest
    }

    func request(
        _ method: ForgeRequest.Method, _ repository: RepositoryReference, _ rest: String, to purpose: String
    ) throws -> ForgeRequest {
        ForgeRequest(method, try path(repository, rest), scope: .repository(repository.name), to: purpose)
    }

    func request(
        _ method: ForgeRequest.Method, _ repository: RepositoryReference, _ rest: String, _ body: some Encodable,
        to purpose: String
    ) throws -> ForgeRequest {
        try ForgeRequest(method, try path(repository, rest), body, scope: .repository(repository.name), to: purpose)
    }

    package func ownLogin() async throws -> String { try await login.value { try await readOwnLogin() } }

    package func check() async throws { _ = try await ownLogin() }

    package func fetch(
        _ repository: RepositoryReference, into directory: String, host: [String: String]
    ) async throws {
        let (url, token) = try await git(repository)
        let git = ForgeGit(directory: directory, host: host, credential: (url, gitUser, token))
        try await git.fetchBranches(url, of: repository.name)
    }

    package func push(_ push: BranchPush) async throws {
        let (url, token) = try await git(push.repository)
        try await push.run(to: url, user: gitUser, token: token)
    }

    /// Where git finds a repository. What a webhook says of it is never asked.
    private func git(_ repository: RepositoryReference) async throws -> (url: String, token: String) {
        let name = try repositoryPath(repository.name, segments: Self.segments)
        return ("\(web)/\(name).git", try await connection.authorization.gitToken(for: repository.name))
    }
}

extension ForgeKind {
    /// Where people and git go, by the address of the API, without a slash at its end.
    func web(of api: String) -> String {
        let ending =
            switch self {
            case .github: "/api/v3"
            case .gitea: "/api/v1"
            case .gitlab: "/api/v4"
            }
        if api.hasSuffix(ending) { return String(api.dropLast(ending.count)) }
        return self == .github ? api.replacing("://api.", with: "://", maxReplacements: 1) : api
    }
}

/// The name as a path of a URL: names come from webhooks, and must lead nowhere else.
func repositoryPath(_ name: String, segments: ClosedRange<Int>) throws(OrchestratorError) -> String {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    let isGood =
        segments.contains(parts.count)
        && parts.allSatisfy { part in
            !part.isEmpty && part.utf8.count <= 100 && part != "." && part != ".." && !part.hasPrefix("-")
                && part.utf8.allSatisfy { byte in
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                        || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || "-_.".utf8.contains(byte)
                }
        }
    guard isGood else {
        throw OrchestratorError(.invalid, "invalid repository `\(redacted(name))`", hint: "write it as owner/name")
    }
    return name
}
