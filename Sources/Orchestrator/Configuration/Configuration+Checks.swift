import SystemCrypto

/// One thing that `so orchestrator check` looks at.
package struct ConfigurationCheck: Sendable {
    package var name: String
    /// Nil: it is well.
    package var problem: String?
    package var hint: String?

    package init(name: String, problem: String? = nil, hint: String? = nil) {
        self.name = name
        self.problem = problem
        self.hint = hint
    }
}

extension Configuration {
    /// Looks at everything that the server needs; each on its own, so that all problems are told at once.
    ///
    /// - Parameter runtime: says why agents cannot run on this host.
    package func checks(
        credentials: @escaping @Sendable () async throws -> any CredentialBackend,
        runtime: @escaping @Sendable () async throws -> Void
    ) async -> [ConfigurationCheck] {
        var checks = [
            await Self.check("store") { try await openStore().check() },
            await Self.check("forge") { try await openForge().check() },
            await Self.check("credentials") { try await credentials().check() },
            await Self.check("runtime") { try await runtime() },
        ]
        for project in projects {
            checks.append(
                await Self.check("project \(project.repository)") {
                    let forge = try openForge()
                    let repository = try await forge.repository(project.repository)
                    _ = try await forge.defaultBranch(of: repository)
                })
        }
        return checks
    }

    private static func check(_ name: String, _ body: () async throws -> Void) async -> ConfigurationCheck {
        do {
            try await body()
            return ConfigurationCheck(name: name)
        } catch let error as OrchestratorError {
            let text = error.cause.map { "\(error.message): \($0)" } ?? error.message
            return ConfigurationCheck(name: name, problem: text, hint: error.hint)
        } catch {
            return ConfigurationCheck(name: name, problem: "\(error)")
        }
    }
}
