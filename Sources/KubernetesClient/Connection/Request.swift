import ExternalTools

/// One request to the API, as a value.
package struct APIRequest: Hashable, Sendable {
    package enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// Whether it may be sent again although it may have arrived.
    package enum Repeatability: Hashable, Sendable {
        /// Reading, server-side apply, deletion: the second time changes nothing more.
        case always
        /// Creation, and changes that hang on what was there: only where the server says that it did nothing.
        case ifRefused
    }

    package var method: Method
    package var path: String
    package var query: [(name: String, value: String)]
    package var contentType: String?
    package var body: [UInt8]?
    package var repeatability: Repeatability
    /// What a message calls it: `apply Deployment/web`.
    package var summary: String

    package init(
        _ method: Method, _ path: String, query: [(name: String, value: String)] = [], contentType: String? = nil,
        body: [UInt8]? = nil, repeatability: Repeatability? = nil, summary: String
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.contentType = contentType
        self.body = body
        self.repeatability = repeatability ?? (method == .get || method == .delete ? .always : .ifRefused)
        self.summary = summary
    }

    /// The path with its query.
    package var target: String {
        guard !query.isEmpty else { return path }
        return path + "?"
            + query.map { "\(percentEncoded($0.name))=\(percentEncoded($0.value))" }.joined(separator: "&")
    }

    package static func == (left: APIRequest, right: APIRequest) -> Bool {
        left.method == right.method && left.target == right.target && left.contentType == right.contentType
            && left.body == right.body && left.repeatability == right.repeatability
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(target)
        hasher.combine(body)
    }
}

/// What came back.
struct APIResponse: Sendable {
    var status: Int
    var retryAfter: Int?
    var body: [UInt8]
}
