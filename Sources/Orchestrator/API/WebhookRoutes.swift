/// Where the forge delivers. Everything but the record happens later, from the store.
struct WebhookRoutes: Sendable {
    let parts: ServerParts

    /// GitHub's own limit.
    private static let bodyLimit = 25 << 20

    var routes: [Route] {
        [
            Route("POST", "/webhooks/{forge}") { try await receive($0) }
        ]
    }

    private func receive(_ request: WebRequest) async throws -> WebResponse {
        guard request.parameters["forge"] == parts.forge.kind.rawValue else {
            throw WebFailure(404, "this server is for \(parts.forge.kind.rawValue) alone")
        }
        if let length = request.headers["content-length"].flatMap({ Int($0) }), length > Self.bodyLimit {
            throw WebFailure(413, "the body is longer than \(Self.bodyLimit) bytes")
        }
        let body = try await request.body(Self.bodyLimit)
        let delivery: Delivery
        do {
            delivery = try parts.forge.verify(WebhookRequest(headers: request.headers, body: body))
        } catch {
            parts.metrics.delivered("refused")
            throw error
        }
        guard Self.isInteresting(delivery.event) else {
            parts.metrics.delivered("ignored")
            return WebResponse(204)
        }
        let isNew = try await parts.store.record(delivery)
        parts.metrics.delivered(isNew ? "recorded" : "repeated")
        return WebResponse(202, type: "text/plain; charset=utf-8", isNew ? "recorded\n" : "recorded before\n")
    }

    /// Events that lead to nothing are not kept: a busy repository sends thousands. Names of the three forges.
    private static func isInteresting(_ event: String) -> Bool {
        let names = [
            "issue", "pull_request", "check_suite", "check_run", "status", "workflow_run", "note", "merge_request",
            "merge request",
            "pipeline", "ping",
        ]
        let event = event.lowercased()
        return names.contains { event.contains($0) }
    }
}
