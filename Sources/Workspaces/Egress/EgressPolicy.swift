package import Egress
import OrderedCollections

/// What one session may reach, and what leads to it: everything that its egress is told but credentials.
package struct EgressPolicy: Hashable, Sendable {
    /// Patterns as `NamePattern` reads them: the definition's, the forge's, the registries' of the languages, the agent's own.
    package var allow: [String] = []
    package var deniesAll = true
    /// The project's repository on its forge, and whether the agent may push to it; nil: none that https reaches.
    package var repository: RepositoryRoute?
    /// Ports of the egress that lead to the host or elsewhere outside: `{mysql: host}`.
    package var forwards: [EgressConfiguration.Forward] = []
    /// Ports of the egress pod that lead to ports of the agent's pod, for URLs.
    package var ingress: [EgressConfiguration.Forward] = []
    /// Addresses of companions by name, answered by the egress's name server.
    package var hosts: [String: String] = [:]
    /// In billionths of a dollar; nil: no limit.
    package var budget: Int?
    /// In tokens of input and output together; nil: no limit.
    package var tokenBudget: Int?
    /// By provider's name, another upstream than the declaration's: a gateway of the user's own, or a test's server.
    package var upstreams: [String: String] = [:]

    package init() {}

    /// The project's choice, beside what its agent needs.
    package init(_ choice: EgressChoice, _ budget: Budget, _ agent: AgentDeclaration) {
        allow = choice.allow + agent.allow
        deniesAll = choice.deniesAll
        self.budget = budget.cost.map { Int(($0 * 1e9).rounded()) }
        tokenBudget = budget.tokens
    }

    /// What a definition asks for, beside what nearly every project needs: its forge and the registries of its languages.
    ///
    /// - Parameters:
    ///   - remote: where the project's repository came from.
    ///   - environment: the user's, for the forge's token.
    package init(
        _ definition: WorkspaceDefinition, _ agent: AgentDeclaration, remote: String?, environment: [String: String]
    ) {
        self.init(definition.egress, definition.budget, agent)
        let registries = definition.languages.keys.flatMap { Language.named($0)?.registries ?? [] }
        let forge = remote.flatMap(ForgeRepository.init)
        for name in registries + (forge.map { [$0.place] } ?? []) where !allow.contains(name) { allow.append(name) }
        repository = forge?.route(environment: environment, allowsPush: definition.egress.allowsPush)
    }
}
