import SystemCrypto

extension Configuration {
    /// Opens the store.
    package func openStore() async throws -> SQLStore {
        switch store {
        case .sqlite(let path): return try await .sqlite(path: path)
        case .postgresql(let address, let file):
            let password = try file.map { try secret($0, "store-password-file") }
            return try await .postgresql(address: address, password: password)
        }
    }

    /// The forge, with its secrets read.
    ///
    /// - Parameter isPatient: whether it waits for a forge that does not answer.
    package func openForge(isPatient: Bool = true) throws -> any Forge {
        let secret = Array(try self.secret(forge.webhookSecretFile, "forge.webhook-secret-file").utf8)
        let token = try forge.tokenFile.map { try self.secret($0, "forge.token-file") }
        // Wanted with the first sign-in only: what is wrong with it is told before.
        if let oauth = forge.oauth { _ = try self.secret(oauth.clientSecretFile, "forge.oauth.client-secret-file") }
        switch forge.kind {
        case .gitea: return Gitea(api: forge.api, secret: secret, token: token ?? "", isPatient: isPatient)
        case .gitlab: return GitLab(api: forge.api, secret: secret, token: token ?? "", isPatient: isPatient)
        case .github:
            return GitHub(
                api: forge.api, secret: secret, authentication: try gitHubAuthentication(token),
                isPatient: isPatient)
        }
    }

    private func gitHubAuthentication(_ token: String?) throws -> GitHub.Authentication {
        if let token { return .token(token) }
        let pem = try secret(forge.privateKeyFile ?? "", "forge.private-key-file")
        do {
            return .app(GitHubApp(id: forge.appID ?? "", key: try RSAPrivateKey(pem: Array(pem.utf8))))
        } catch {
            throw OrchestratorError(
                .invalid,
                "\(place("forge.private-key-file")): \(forge.privateKeyFile ?? "") is not a key of a GitHub App",
                cause: "\(error)", hint: "download a new private key from the page of the App: it is a .pem file")
        }
    }

    /// What intake does with a repository's issues; nil where it is not a project.
    package func rules(_ repository: RepositoryReference) -> IntakeRules? {
        guard let project = project(repository.name) else { return nil }
        return IntakeRules(
            label: project.label, names: [forge.name], agents: Set(agents.keys), defaultAgent: project.agent,
            routes: project.routes)
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
