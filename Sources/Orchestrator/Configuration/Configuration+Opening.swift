import SystemCrypto

extension Configuration {
    /// Opens the store.
    package func openStore() async throws -> SQLStore {
        switch store {
        case .sqlite(let path): return try await .sqlite(path: path)
        case .postgresql(let address, let file):
            let password = try file.map { try SecretFile.read($0, key: "store-password-file") }
            return try await .postgresql(address: address, password: password)
        }
    }

    /// The forge, with its secrets read.
    package func openForge() throws -> any Forge {
        let secret = Array(try SecretFile.read(forge.webhookSecretFile, key: "forge.webhook-secret-file").utf8)
        let token = try forge.tokenFile.map { try SecretFile.read($0, key: "forge.token-file") }
        switch forge.kind {
        case .gitea: return Gitea(api: forge.api, secret: secret, token: token ?? "")
        case .gitlab: return GitLab(api: forge.api, secret: secret, token: token ?? "")
        case .github:
            return GitHub(api: forge.api, secret: secret, authentication: try gitHubAuthentication(token))
        }
    }

    private func gitHubAuthentication(_ token: String?) throws -> GitHub.Authentication {
        if let token { return .token(token) }
        let pem = try SecretFile.read(forge.privateKeyFile ?? "", key: "forge.private-key-file")
        return .app(GitHubApp(id: forge.appID ?? "", key: try RSAPrivateKey(pem: Array(pem.utf8))))
    }

    /// What intake does with a repository's issues; nil where it is not a project.
    package func rules(_ repository: RepositoryReference, ownLogin: String) -> IntakeRules? {
        guard let project = project(repository.name) else { return nil }
        return IntakeRules(
            label: project.label, names: [forge.name], agents: Set(agents.keys), defaultAgent: project.agent,
            routes: project.routes, ownLogin: ownLogin)
    }

    /// What a repository's agents may push.
    package func policy(_ repository: RepositoryReference) -> PushPolicy {
        let allowed = Set(project(repository.name)?.allowedPaths ?? [])
        return PushPolicy(protectedPaths: PushPolicy.defaultPaths.filter { !allowed.contains($0) })
    }

    /// The page of a task.
    package func page(_ task: IssueTask) -> String { "\(url)/tasks/\(task.id)" }

    package func limits(paused: Set<String>) -> TaskLimits {
        var limits = TaskLimits(total: maxParallel)
        for project in projects { limits.repositories[project.repository] = project.maxParallel }
        for (name, profile) in agents { limits.agents[name] = profile.maxParallel }
        limits.paused = paused
        return limits
    }
}
