import FoundationEssentials

/// One request to a forge's API.
struct ForgeRequest: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case patch = "PATCH"
        case put = "PUT"
        case delete = "DELETE"
    }

    var method: Method
    /// Below the API's base, encoded, with its query.
    var path: String
    var body: [UInt8]?
    /// What is being done, for messages: `open a pull request in acme/shop`.
    var purpose: String
    /// Whose token it takes.
    var scope: ForgeScope

    init(_ method: Method, _ path: String, scope: ForgeScope, to purpose: String) {
        self.method = method
        self.path = path
        self.purpose = purpose
        self.scope = scope
    }

    init(
        _ method: Method, _ path: String, _ body: some Encodable, scope: ForgeScope, to purpose: String
    ) throws {
        self.init(method, path, scope: scope, to: purpose)
        self.body = try Array(JSONEncoder().encode(body))
    }

    /// Whether it may be sent again where nobody knows what became of it.
    var isRepeatable: Bool { method == .get || method == .put || method == .delete }
}

/// What a token has to be good for.
enum ForgeScope: Hashable, Sendable {
    /// One repository, by `owner/name`.
    case repository(String)
    /// The account or app itself.
    case account
}

/// The answer to a request, its head's names in lower case.
struct ForgeResponse: Sendable {
    var status: Int
    var headers: [String: String]
    var body: [UInt8]

    var isSuccess: Bool { (200..<300).contains(status) }

    func decoded<Value: Decodable>(_ type: Value.Type, for purpose: String) throws(OrchestratorError) -> Value {
        do {
            return try ForgeJSON.decoder.decode(type, from: Data(body))
        } catch {
            // The decoder's words could quote a token.
            throw OrchestratorError(.failed, "cannot \(purpose)", cause: "the forge's answer has another form")
        }
    }

    /// The address of the next page: RFC 8288.
    var nextPage: String? {
        for part in (headers["link"] ?? "").split(separator: ",") where part.contains("rel=\"next\"") {
            guard let start = part.firstIndex(of: "<"), let end = part.firstIndex(of: ">"), start < end else {
                continue
            }
            return String(part[part.index(after: start)..<end])
        }
        return nil
    }
}

/// What all forges write alike.
enum ForgeJSON {
    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    static func date(_ text: String?) -> Date? { text.flatMap { try? Date($0, strategy: .iso8601) } }
}

/// One segment of a path, or one value of a query: RFC 3986.
func urlEncoded(_ text: String) -> String {
    let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    var result = ""
    for byte in text.utf8 {
        if plain.contains(byte) {
            result.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
            let digits = String(byte, radix: 16, uppercase: true)
            result += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
        }
    }
    return result
}
