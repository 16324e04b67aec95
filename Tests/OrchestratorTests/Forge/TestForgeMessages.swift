import FoundationEssentials
import NIOHTTP1
import SystemCrypto
import YAML

/// A request to the test's forge, taken apart.
struct ForgeTestRequest: Sendable {
    var method: String
    var path: String
    var queryText: String
    var headers: [String: String]
    var body: [UInt8]

    init(_ head: HTTPRequestHead, _ body: [UInt8]) {
        method = head.method.rawValue
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = Self.decoded(parts[0], keepingSlashes: true)
        queryText = parts.count > 1 ? String(parts[1]) : ""
        headers = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { $1 }
        self.body = body
    }

    var query: [String: String] {
        var result: [String: String] = [:]
        for pair in queryText.split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1)
            result[String(sides[0])] = sides.count > 1 ? Self.decoded(sides[1]) : ""
        }
        return result
    }

    var json: Node { (try? loadYAMLDocument(body, file: "body")) ?? .map([]) }

    /// `owner/name` of a request of git's.
    var gitRepository: String? {
        path.firstRange(of: ".git/").map { String(path[..<$0.lowerBound].drop { $0 == "/" }) }
    }

    /// What `Authorization` shows, without its scheme; of Basic, the password.
    var token: String {
        let words = (headers["authorization"] ?? "").split(separator: " ", maxSplits: 1)
        guard words.count == 2 else { return "" }
        guard words[0] == "Basic" else { return String(words[1]) }
        let text = String(decoding: base64Decoded(String(words[1])) ?? [], as: UTF8.self)
        return text.split(separator: ":", maxSplits: 1).last.map(String.init) ?? ""
    }

    /// `%2F` stays one segment's slash, as GitLab has it.
    static func decoded(_ text: Substring, keepingSlashes: Bool = false) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), !(keepingSlashes && digits.uppercased() == "2F"),
                let value = UInt8(digits, radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

struct ForgeTestReply: Sendable {
    var status: Int
    var headers: [String: String] = [:]
    var body: [UInt8] = []

    init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    init(_ node: Node, status: Int = 200, headers: [String: String] = [:]) {
        self.init(status: status, headers: headers, body: Array(node.json().utf8))
        self.headers["Content-Type"] = "application/json; charset=utf-8"
    }

    /// As GitHub words it.
    static func refusal(_ status: Int, _ message: String, headers: [String: String] = [:]) -> ForgeTestReply {
        ForgeTestReply(
            .map([("message", .string(message)), ("status", .string("\(status)"))]), status: status, headers: headers)
    }

    static let notFound = refusal(404, "Not Found")
}

extension Node {
    static func number(_ value: some BinaryInteger) -> Node { .plain("\(value)") }
    static func flag(_ value: Bool) -> Node { .plain(value ? "true" : "false") }
    static var null: Node { .plain("null") }

    func at(_ key: String) -> Node? { mapping?[key] }
    func words(_ key: String) -> String { at(key)?.text ?? "" }
}
