package import Egress
package import OrderedCollections

/// The egress of one session: what its program reads, and what the agent's pod is told of it.
package struct SessionEgress: Sendable {
    /// The session's or workspace's name.
    package var session: String
    /// The address of the egress pod in the network `inside`, or the name that its runtime knows.
    package var address: String
    /// Where its program listens; nil: at ``address``.
    package var listen: String?
    package var policy: EgressPolicy
    /// Authorities that are trusted besides the host's, as PEM.
    package var authorities: String?
    /// Of the session, made once; worth nothing outside of it.
    package var token: String

    package init(session: String, address: String, policy: EgressPolicy, token: String) {
        self.session = session
        self.address = address
        self.policy = policy
        self.token = token
    }

    /// Where the agent finds the providers and its repository.
    package var url: String { "http://\(StackPart.egressService):8080" }

    /// What the egress program reads; the secret of the egress pod alone.
    package func configuration(_ agent: AgentDeclaration, _ credentials: [Credential]) -> EgressConfiguration {
        var result = EgressConfiguration(session: session, address: address, token: token)
        result.listen = listen
        result.authorities = authorities
        result.allow = policy.allow
        result.deniesAll = policy.deniesAll
        result.hosts = policy.hosts.merging([StackPart.egressService: address]) { $1 }
        result.providers = agent.providers.map { provider($0, credentials) }
        result.repositories = policy.repository.map { [$0] } ?? []
        result.forwards = policy.forwards
        result.ingress = policy.ingress
        result.budget = policy.budget
        result.tokenBudget = policy.tokenBudget
        return result
    }

    private func provider(
        _ declared: AgentDeclaration.ProviderDeclaration, _ credentials: [Credential]
    ) -> Provider {
        let headers = credentials.first { $0.provider == declared.name }?.headers ?? [:]
        return Provider(
            name: declared.name, dialect: declared.dialect,
            upstream: policy.upstreams[declared.name] ?? declared.upstream,
            headers: Dictionary(uniqueKeysWithValues: headers.map { ($0.key, $0.value) }))
    }

    /// What makes clients in the agent's pod go through the egress; those that ignore it get there by its name server.
    package var agentEnvironment: OrderedDictionary<String, String> {
        let proxy = "http://\(StackPart.egressService):3128"
        let names = [StackPart.egressService, address, "localhost", ".localhost", "127.0.0.1", "::1"]
        let direct = (names + policy.hosts.keys.sorted()).joined(separator: ",")
        var result: OrderedDictionary<String, String> = [:]
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] { result[name] = proxy }
        for name in ["NO_PROXY", "no_proxy"] { result[name] = direct }
        return result
    }
}
