/// A request to the port of providers and repositories: where it goes, or the answer that refuses it.
package enum RoutedRequest: Hashable, Sendable {
    case provider(Provider, url: String)
    case repository(RepositoryRoute, url: String)
    case refused(Refusal)

    /// An answer that the CLI can show.
    package struct Refusal: Hashable, Sendable {
        package var status: Int
        package var message: String
        package var reason: DenialReason?

        package init(_ status: Int, _ message: String, _ reason: DenialReason? = nil) {
            self.status = status
            self.message = message
            self.reason = reason
        }
    }

    /// - Parameters:
    ///   - target: path and query, as the agent sent it.
    ///   - tokens: every value under which the agent may have shown its token, such as that of `x-api-key`.
    package init(_ configuration: EgressConfiguration, method: String, target: String, tokens: [String]) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = String(parts.first ?? "")
        let query = parts.count > 1 ? "?" + parts[1] : ""
        guard tokens.contains(where: { isSame($0, configuration.token) }) else {
            self = .refused(Refusal(401, "this is not the session's token", .token))
            return
        }
        // Encoded dots and slashes could name another path upstream than the one that was checked.
        guard path.hasPrefix("/"), !path.contains("%"), !path.contains("//"), !path.contains("\\"),
            !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
        else {
            self = .refused(Refusal(400, "so does not forward the path \(path.prefix(100))", .route))
            return
        }
        if path.hasPrefix("/git/") {
            self = .repository(configuration, method, path: path.dropFirst(5), query: query)
        } else {
            self = .provider(configuration, method, path: path.dropFirst(), query: query)
        }
    }

    private static func provider(
        _ configuration: EgressConfiguration, _ method: String, path: Substring, query: String
    ) -> RoutedRequest {
        let name = path.prefix { $0 != "/" }
        let rest = String(path.dropFirst(name.count))
        guard let provider = configuration.providers.first(where: { $0.name == name }) else {
            return .refused(Refusal(404, "this session has no provider `\(name.prefix(60))`", .route))
        }
        guard provider.dialect.serves(method, rest) else {
            return .refused(
                Refusal(404, "so does not forward \(method) \(rest.prefix(100)) to \(provider.name)", .route))
        }
        guard !provider.headers.isEmpty else {
            return .refused(
                Refusal(401, "the session has no credential of \(provider.name): so auth login \(provider.name)"))
        }
        return .provider(provider, url: provider.upstream.withoutFinalSlash + rest + query)
    }

    private static func repository(
        _ configuration: EgressConfiguration, _ method: String, path: Substring, query: String
    ) -> RoutedRequest {
        for repository in configuration.repositories {
            guard let place = repository.place else { continue }
            for base in [place, place + ".git"] where path.hasPrefix(base + "/") {
                let rest = String(path.dropFirst(base.count))
                guard repository.serves(method, rest, query) else { continue }
                return .repository(repository, url: repository.url.withoutFinalSlash + rest + query)
            }
        }
        let what = "\(method) \(path.prefix(100))\(query.prefix(60))"
        return .refused(Refusal(403, "this session may not do this to a repository: \(what)", .route))
    }
}

extension Provider.Dialect {
    /// Only what makes a model answer: the real credential could do more.
    func serves(_ method: String, _ path: String) -> Bool {
        switch (self, method) {
        case (.anthropic, "POST"): ["/v1/messages", "/v1/messages/count_tokens"].contains(path)
        case (.anthropic, "GET"): path == "/v1/models" || isModel(path, "/v1/models/")
        case (.anthropic, "HEAD"): path == "/api/hello"
        case (.openai, "POST"):
            ["/v1/responses", "/v1/responses/compact", "/v1/chat/completions", "/v1/completions", "/v1/embeddings"]
                .contains(path)
        case (.openai, "GET"): path == "/v1/models" || isModel(path, "/v1/models/")
        case (.gemini, "POST"): isModel(path, "/v1beta/models/") || isModel(path, "/v1/models/")
        case (.gemini, "GET"): path == "/v1beta/models" || isModel(path, "/v1beta/models/")
        default: false
        }
    }

    private func isModel(_ path: String, _ start: String) -> Bool {
        path.hasPrefix(start) && path.count > start.count && !path.dropFirst(start.count).contains("/")
    }

    /// Whether the request makes a model work, and so costs something.
    package func isCharged(_ method: String, _ url: String) -> Bool {
        method == "POST" && !url.contains("/count_tokens") && !url.contains(":countTokens")
    }
}

extension RepositoryRoute {
    /// `github.com/owner/name`, without `.git`; nil where the URL is not an https one (http for tests' servers on loopback).
    package var place: String? {
        let text = url.withoutFinalSlash
        guard let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) }) else { return nil }
        let place = text.dropFirst(scheme.count)
        return String(place.hasSuffix(".git") ? place.dropLast(4) : place)
    }

    /// The smart protocol's four requests: https://git-scm.com/docs/http-protocol
    fileprivate func serves(_ method: String, _ path: String, _ query: String) -> Bool {
        let services = ["git-upload-pack"] + (allowsPush ? ["git-receive-pack"] : [])
        return services.contains { service in
            (method == "GET" && path == "/info/refs" && query == "?service=\(service)")
                || (method == "POST" && path == "/\(service)" && query.isEmpty)
        }
    }
}

extension String {
    var withoutFinalSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}

/// Compares in a time that does not tell how much of it was right.
private func isSame(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    guard one.count == other.count, !one.isEmpty else { return false }
    return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}
