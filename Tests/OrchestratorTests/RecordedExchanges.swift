import FoundationEssentials
import Synchronization
import TestSupport
import Testing
import YAML

/// A server that knows nothing but recorded exchanges: a request is answered as it was recorded, and one that was not recorded fails the test.
final class RecordedExchanges: Sendable {
    private struct Exchange: Sendable {
        var name: String
        var request: Node
        var response: Node
    }

    let url: String
    private let all: [Exchange]
    /// Those that are to be asked for next.
    private let expected = Mutex<[Exchange]>([])

    fileprivate init(file: String, url: String) throws {
        let document = try loadYAMLDocument(Array(try read(try Shared.path("reference/\(file)")).utf8), file: file)
        self.url = url
        all = (document.at("exchanges")?.sequence ?? []).compactMap { node in
            guard let name = (node.at("id") ?? node.at("name"))?.text, let request = node.at("request"),
                let response = node.at("response")
            else { return nil }
            return Exchange(name: name, request: request, response: response)
        }
    }

    /// Runs what asks for these exchanges, each once and in this order.
    func expect<Result>(
        _ names: String..., sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Result
    ) async throws -> Result {
        let wanted = try names.map { name in
            try #require(all.first { $0.name == name }, "\(name) was not recorded", sourceLocation: sourceLocation)
        }
        expected.withLock { $0 = wanted }
        defer {
            let left = expected.withLock { $0.map(\.name) }
            #expect(left == [], "not asked for", sourceLocation: sourceLocation)
        }
        return try await body()
    }

    fileprivate func reply(to request: ForgeTestRequest) -> ForgeTestReply {
        guard let exchange = expected.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
            Issue.record("\(request.method) \(request.path) is one request too many")
            return ForgeTestReply(status: 500)
        }
        Self.compare(request, exchange.request, exchange.name)
        let body = exchange.response.at("body")
        return ForgeTestReply(
            status: Int(exchange.response.words("status")) ?? 500,
            headers: Dictionary(
                (exchange.response.at("headers")?.mapping?.entries ?? []).compactMap { entry in
                    entry.value.text.map { (entry.key, $0) }
                }
            ) { $1 }, body: body.map { $0.isNull ? [] : Array($0.json().utf8) } ?? [])
    }

    /// Method, path, the form of each header that was recorded, and no field of the body that was not.
    private static func compare(_ request: ForgeTestRequest, _ recorded: Node, _ name: String) {
        let path = recorded.words("path").prefix { $0 != "?" }
        #expect(request.method == recorded.words("method"), "\(name)")
        #expect(request.path == ForgeTestRequest.decoded(path, keepingSlashes: true), "\(name)")
        for entry in recorded.at("headers")?.mapping?.entries ?? [] where entry.key != "User-Agent" {
            let (header, value) = (entry.key, entry.value)
            let sent = request.headers[header.lowercased()]
            #expect(sent != nil, "\(name): \(header) is missing")
            // A secret has another value; its scheme is the same.
            guard header != "Authorization", header != "X-Vault-Token" else {
                #expect(sent?.contains(" ") == value.text?.contains(" "), "\(name): \(header)")
                continue
            }
            #expect(sent?.hasPrefix(value.text ?? "") == true, "\(name): \(header) is \(sent ?? "")")
        }
        let known = Set(recorded.at("body")?.mapping?.entries.map(\.key) ?? [])
        let sent = Set(request.json.mapping?.entries.map(\.key) ?? [])
        #expect(sent.isSubset(of: known), "\(name): \(sent.subtracting(known)) was never sent")
    }
}

/// Runs the body with a server that answers as a file below `shared/reference` has it.
func withRecordedExchanges(
    _ file: String, isolation: isolated (any Actor)? = #isolation, _ body: (RecordedExchanges) async throws -> Void
) async throws {
    try await withHTTPServer { server in
        let exchanges = try RecordedExchanges(file: file, url: "http://127.0.0.1:\(server.port)")
        server.answer { exchanges.reply(to: $0) }
        try await body(exchanges)
    }
}
