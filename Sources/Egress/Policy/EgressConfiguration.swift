/// Everything that the egress program of one session is told, as the file that it reads. It holds real credentials: the file is a secret
/// of the egress pod alone.
package struct EgressConfiguration: Codable, Hashable, Sendable {
    /// The session or workspace, for the log.
    package var session: String
    /// Its own address in the agent's network, which its name server answers for every name that is allowed.
    package var address: String
    /// Where it listens for the agent's network; nil: at ``address`` alone, so that nobody else finds it.
    package var listen: String?
    /// What the agent shows to the provider's and the forge's routes instead of a credential. Worth nothing elsewhere.
    package var token: String
    /// Patterns as ``NamePattern`` reads them.
    package var allow: [String] = []
    /// Whether only ``allow`` is reachable; else every public address is.
    package var deniesAll = true
    /// Names of the session's own network that the name server answers, by name.
    package var hosts: [String: String] = [:]
    package var providers: [Provider] = []
    package var repositories: [RepositoryRoute] = []
    /// Ports led to declared places outside, e.g. a database of the host.
    package var forwards: [Forward] = []
    /// Ports led from outside to the agent's pod.
    package var ingress: [Forward] = []
    /// What the session may spend, in billionths of a dollar; nil: no limit.
    package var budget: Int?
    /// What it may spend in tokens of input and output together; nil: no limit.
    package var tokenBudget: Int?
    /// Prices that go before the built-in table.
    package var prices: [ModelPrice] = []
    /// Authorities that are trusted besides the image's, as PEM; nil: none.
    package var authorities: String?
    package var ports = Ports()
    /// Where the log is kept.
    package var stateDirectory = "/state"

    package init(session: String, address: String, token: String) {
        self.session = session
        self.address = address
        self.token = token
    }

    /// Where it listens. Tests choose others; nil: it does not listen there.
    package struct Ports: Codable, Hashable, Sendable {
        package var dns: Int? = 53
        package var http: Int? = 80
        package var tls: Int? = 443
        package var proxy: Int? = 3128
        package var provider: Int? = 8080
        /// Answers anybody, and says nothing: what the probe of the pod's isolation asks for.
        package var canary: Int? = 8079

        package init() {}
    }

    /// A port that is led to another place, as it is.
    package struct Forward: Codable, Hashable, Sendable {
        package var port: Int
        package var host: String
        package var hostPort: Int

        package init(port: Int, host: String, hostPort: Int) {
            self.port = port
            self.host = host
            self.hostPort = hostPort
        }
    }
}

/// A provider of models: `http://egress:8080/<name>/…` leads to ``upstream`` with the real credential put in.
package struct Provider: Codable, Hashable, Sendable {
    /// What its requests and answers look like, for counting.
    package enum Dialect: String, Codable, Hashable, Sendable, CaseIterable {
        case anthropic
        case openai
        case gemini
    }

    package var name: String
    package var dialect: Dialect
    /// `https://api.anthropic.com`, with a path where the provider's has one.
    package var upstream: String
    /// Set on every request, in place of what the agent sent under these names. A value that begins with `+` is added to the agent's
    /// own list instead (`anthropic-beta`).
    package var headers: [String: String]

    package init(name: String, dialect: Dialect, upstream: String, headers: [String: String]) {
        self.name = name
        self.dialect = dialect
        self.upstream = upstream
        self.headers = headers
    }
}

/// A repository that the agent may read, and where it says so write, through `http://egress:8080/git/<host>/<path>`.
package struct RepositoryRoute: Codable, Hashable, Sendable {
    /// `https://github.com/owner/name.git`.
    package var url: String
    /// Sent upstream as `Authorization`; nil: none.
    package var authorization: String?
    package var allowsPush = false

    package init(url: String, authorization: String? = nil, allowsPush: Bool = false) {
        self.url = url
        self.authorization = authorization
        self.allowsPush = allowsPush
    }
}
