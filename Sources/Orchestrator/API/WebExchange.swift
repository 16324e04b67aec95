/// A request as routes see it, whatever server took it.
struct WebRequest: Sendable {
    var method: String
    /// Percent-decoded, without empty parts.
    var path: [String]
    var query: [String: String]
    /// By lower-case name.
    var headers: [String: String]
    /// What a route's pattern names.
    var parameters: [String: String] = [:]
    /// Reads the body up to a number of bytes.
    ///
    /// - Throws: ``WebFailure`` 413 where it is longer.
    var body: @Sendable (Int) async throws -> [UInt8]

    var cookies: [String: String] {
        var found: [String: String] = [:]
        for piece in (headers["cookie"] ?? "").split(separator: ";") {
            let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            found[parts[0].filter { !$0.isWhitespace }] = parts[1].filter { !$0.isWhitespace }
        }
        return found
    }

    /// A form's fields.
    func form() async throws -> [String: String] {
        URLText.fields(String(decoding: try await body(1 << 20), as: UTF8.self))
    }

    /// A number that the path names.
    func number(_ name: String) throws -> Int64 {
        guard let number = parameters[name].flatMap({ Int64($0) }), number > 0 else {
            throw WebFailure(404, "not found")
        }
        return number
    }
}

/// An answer.
struct WebResponse: Sendable {
    /// Is handed what writes to the peer.
    typealias Stream = @Sendable (_ write: @escaping @Sendable (String) async throws -> Void) async throws -> Void

    enum Body: Sendable {
        case bytes([UInt8])
        /// Written as it comes, until it returns or the peer is gone.
        case stream(Stream)
    }

    var status: Int
    var headers: [(name: String, value: String)]
    var body: Body

    init(_ status: Int = 200, type: String, _ text: String) {
        self.status = status
        headers = [("content-type", type)]
        body = .bytes(Array(text.utf8))
    }

    /// An answer without a body.
    init(_ status: Int) {
        self.status = status
        headers = []
        body = .bytes([])
    }

    init(stream: @escaping Stream) {
        status = 200
        headers = [("content-type", "text/event-stream"), ("cache-control", "no-store"), ("x-accel-buffering", "no")]
        body = .stream(stream)
    }

    static func redirect(_ path: String) -> WebResponse {
        var response = WebResponse(303)
        response.headers = [("location", path)]
        return response
    }
}

/// A request that cannot be answered as asked.
struct WebFailure: Error {
    var status: Int
    var message: String

    init(_ status: Int, _ message: String) {
        self.status = status
        self.message = message
    }
}

/// The text of addresses and forms.
enum URLText {
    /// Fields of `a=1&b=2`; the first of a name counts.
    static func fields(_ text: String) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                decoded($0.replacing("+", with: " "))
            }
            guard let name = parts.first, fields[name] == nil else { continue }
            fields[name] = parts.count > 1 ? parts[1] : ""
        }
        return fields
    }

    static func decoded(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8[...]
        while let byte = rest.popFirst() {
            let digits = String(Substring(rest.prefix(2)))
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func encoded(_ text: String) -> String {
        let free = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        return text.utf8.map { byte in
            if free.contains(byte) { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }
}
