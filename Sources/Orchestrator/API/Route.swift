/// One address that the server answers.
struct Route: Sendable {
    typealias Handler = @Sendable (WebRequest) async throws -> WebResponse

    var method: String
    /// `/tasks/{id}`
    var pattern: String
    /// What the API's document says of it; nil: it is not part of the API.
    var operation: Operation?
    var handler: Handler
    private let parts: [Part]

    private enum Part: Sendable {
        case word(String)
        case parameter(String)
    }

    init(_ method: String, _ pattern: String, _ operation: Operation? = nil, _ handler: @escaping Handler) {
        self.method = method
        self.pattern = pattern
        self.operation = operation
        self.handler = handler
        parts = pattern.split(separator: "/").map { part in
            part.hasPrefix("{") ? .parameter(String(part.dropFirst().dropLast())) : .word(String(part))
        }
    }

    /// The parameters of a path that fits; nil for another.
    func parameters(_ path: [String]) -> [String: String]? {
        guard path.count == parts.count else { return nil }
        var found: [String: String] = [:]
        for (part, text) in zip(parts, path) {
            switch part {
            case .word(let word): if word != text { return nil }
            case .parameter(let name): found[name] = text
            }
        }
        return found
    }
}

/// All addresses of a server.
struct RouteTable: Sendable {
    let routes: [Route]

    /// Finds the route and has it answer.
    func answer(_ request: WebRequest) async throws -> WebResponse {
        let fitting = routes.compactMap { route in route.parameters(request.path).map { (route, $0) } }
        guard !fitting.isEmpty else { throw WebFailure(404, "there is nothing at this address") }
        let method = request.method == "HEAD" ? "GET" : request.method
        guard let (route, parameters) = fitting.first(where: { $0.0.method == method }) else {
            let allowed = Set(fitting.map(\.0.method)).sorted().joined(separator: ", ")
            var response = WebResponse(405, type: "text/plain; charset=utf-8", "allowed: \(allowed)\n")
            response.headers.append(("allow", allowed))
            return response
        }
        var request = request
        request.parameters = parameters
        return try await route.handler(request)
    }
}
