import ExternalTools
package import Workspaces
package import YAML

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

    /// A fault at its place.
    package init(name: String, _ fault: Diagnostic) {
        let place = fault.mark.map { "\($0): " } ?? ""
        self.init(name: name, problem: place + fault.what, hint: fault.hint)
    }
}

extension Configuration {
    /// How long one check may take: what has not answered then does not.
    private static let patience = Duration.seconds(20)

    /// Looks at everything that the server needs; each on its own and all at once, so that all problems are told, and soon.
    ///
    /// - Parameters:
    ///   - context: where agents and templates are declared.
    ///   - patience: how long one check may take.
    ///   - runtime: says why agents cannot run on this host.
    package func checks(
        _ context: WorkspaceContext, patience: Duration = patience,
        credentials: @escaping @Sendable () async throws -> any CredentialBackend,
        runtime: @escaping @Sendable () async throws -> Void
    ) async -> [ConfigurationCheck] {
        let faults = agentFaults(context)
        let agents = faults.isEmpty ? [ConfigurationCheck(name: "agents")] : faults.map { .init(name: "agents", $0) }
        var parts: [(name: String, body: @Sendable () async throws -> Void)] = [
            ("store", { try await openStore().check() }),
            ("forge", { try await openForge(isPatient: false).check() }),
            ("credentials", { try await checkCredentials(try await credentials(), context) }),
            ("runtime", runtime),
        ]
        for project in projects {
            parts.append(("project \(project.repository)", { try await check(project) }))
        }
        return await Self.all(parts, patience) + agents
    }

    private func check(_ project: ProjectConfiguration) async throws {
        let forge = try openForge(isPatient: false)
        _ = try await forge.defaultBranch(of: try await forge.repository(project.repository))
    }

    /// That the backend answers, and has what each agent needs.
    private func checkCredentials(_ backend: any CredentialBackend, _ context: WorkspaceContext) async throws {
        try await backend.check()
        let missing = missingCredentials(context, names: try await backend.names())
        guard let first = missing.first else { return }
        let texts = missing.map { fault in "\(fault.mark.map { "\($0): " } ?? "")\(fault.what)" }
        throw OrchestratorError(.missing, texts.joined(separator: "; "), hint: first.hint)
    }

    private static func all(
        _ parts: [(name: String, body: @Sendable () async throws -> Void)], _ patience: Duration
    ) async -> [ConfigurationCheck] {
        await withTaskGroup(of: (Int, ConfigurationCheck).self) { group in
            for (index, part) in parts.enumerated() {
                group.addTask { (index, await check(part.name, patience, part.body)) }
            }
            var found: [(Int, ConfigurationCheck)] = []
            for await check in group { found.append(check) }
            return found.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private static func check(
        _ name: String, _ patience: Duration, _ body: @escaping @Sendable () async throws -> Void
    ) async -> ConfigurationCheck {
        do {
            let isAnswered = try await withDeadline(patience, body) != nil
            return ConfigurationCheck(
                name: name, problem: isAnswered ? nil : "there was no answer within \(patience.components.seconds) s",
                hint: isAnswered ? nil : "check that it is running and reachable from this host")
        } catch let error as OrchestratorError {
            let text = error.cause.map { "\(error.message): \($0)" } ?? error.message
            return ConfigurationCheck(name: name, problem: text, hint: error.hint)
        } catch {
            return ConfigurationCheck(name: name, problem: "\(error)")
        }
    }
}
