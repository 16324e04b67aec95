import FoundationEssentials
import KubernetesClient
import TestSupport
package import YAML

/// A request that was made of a real Kubernetes API, and its answer: an entry of a page of `Recordings`.
package struct RecordedExchange: Sendable {
    package var title: String
    package var method: String
    /// Path and query.
    package var target: String
    package var contentType: String
    package var body: String
    package var status: Int
    /// What it answered; nil where that is no JSON.
    package var answer: Node?

    /// Every entry of a page that has a request and a whole answer to it, in their order.
    ///
    /// - Parameter page: a file's name without `.http`.
    package static func all(of page: String) throws -> [RecordedExchange] {
        let path = "\(Shared.packageRoot)/Tests/KubernetesTestSupport/Recordings/\(page).http"
        var sections: [[String]] = []
        for line in try String(contentsOfFile: path, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            if line.hasPrefix("### ") { sections.append([]) }
            if !sections.isEmpty { sections[sections.count - 1].append(String(line)) }
        }
        return sections.compactMap(RecordedExchange.init)
    }

    private init?(_ lines: [String]) {
        guard let title = lines.first, let split = lines.firstIndex(where: { $0.hasPrefix("HTTP/1.1 ") }),
            let request = lines.firstIndex(where: { line in
                ["GET ", "PATCH ", "POST ", "PUT ", "DELETE "].contains { line.hasPrefix($0) }
            }), request < split
        else { return nil }
        self.title = String(title.dropFirst(4))
        let words = lines[request].split(separator: " ")
        method = String(words[0])
        target = String(words[1])
        let head = lines[request..<split]
        contentType = head.first { $0.hasPrefix("Content-Type: ") }.map { String($0.dropFirst(14)) } ?? ""
        body = head.drop { !$0.isEmpty }.joined(separator: "\n")
        status = Int(lines[split].split(separator: " ")[1]) ?? 0
        let text = lines[split...].drop { !$0.isEmpty }.joined(separator: "\n")
        answer = try? readJSON(text.utf8)
    }
}

extension TestAPIStore {
    /// Makes a recorded request here.
    ///
    /// - Returns: the status, and the answer where it is JSON.
    package func replay(_ exchange: RecordedExchange) -> (status: Int, answer: Node?) {
        let reply = reply(
            to: TestAPIRequest(
                method: exchange.method, target: exchange.target, contentType: exchange.contentType,
                authorization: "Bearer \(TestAPIServer.token)", body: Array(exchange.body.utf8)))
        return (reply.status, try? readJSON(reply.body.utf8))
    }
}
