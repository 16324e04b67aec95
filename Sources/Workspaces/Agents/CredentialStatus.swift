/// One way to pay a provider, and whether it is there: what `so auth status` shows. Never the value.
package struct CredentialStatus: Hashable, Sendable {
    package var provider: String
    package var variable: String
    /// Nil: there is none.
    package var source: Credential.Source?
    /// The agents that can use it.
    package var agents: [String]
}

extension CredentialLookup {
    /// Every variable that a declared agent asks for, by provider; what is there stands first.
    package func status(of agents: [AgentDeclaration]) throws(WorkspaceError) -> [CredentialStatus] {
        var result: [CredentialStatus] = []
        for agent in agents {
            for mode in agent.authentication {
                if let place = result.firstIndex(where: { $0.variable == mode.variable }) {
                    result[place].agents.append(agent.name)
                } else {
                    result.append(
                        CredentialStatus(
                            provider: mode.provider, variable: mode.variable, source: try source(mode.variable),
                            agents: [agent.name]))
                }
            }
        }
        return result.sorted {
            ($0.provider, $0.source == nil ? 1 : 0, $0.variable) < ($1.provider, $1.source == nil ? 1 : 0, $1.variable)
        }
    }

    private func source(_ variable: String) throws(WorkspaceError) -> Credential.Source? {
        if let value = environment[variable], !value.isEmpty { return .environment(variable: variable) }
        if try store.value(variable) != nil { return .stored(path: store.path(variable)) }
        guard let vault, vault.values[variable]?.isEmpty == false else { return nil }
        return .vault(place: vault.place, variable: variable)
    }

    /// The variable that a credential of a provider is stored under.
    ///
    /// - Parameter variable: one that an agent declares for it; nil: the first.
    /// - Throws: `missing` where no agent has such a provider or variable.
    package func variable(
        _ provider: String, _ variable: String?, of agents: [AgentDeclaration]
    ) throws(WorkspaceError) -> String {
        let modes = agents.flatMap(\.authentication).filter { $0.provider == provider }
        guard !modes.isEmpty else {
            let known = Set(agents.flatMap(\.authentication).map(\.provider)).sorted()
            throw WorkspaceError(
                .missing, "no agent has a provider `\(provider)`", hint: "there are \(known.joined(separator: ", "))")
        }
        let names = modes.map(\.variable)
        guard let variable = variable ?? names.first, names.contains(variable) else {
            throw WorkspaceError(
                .missing, "\(provider) has no `\(variable ?? "")`",
                hint: "there are \(Set(names).sorted().joined(separator: ", "))")
        }
        return variable
    }
}
