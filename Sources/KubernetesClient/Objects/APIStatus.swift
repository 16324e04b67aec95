import YAML

/// The server's own account of what went wrong (`kind: Status`).
package struct APIStatus: Hashable, Sendable, CustomStringConvertible {
    /// One of the reasons, with the field that it concerns.
    package struct Cause: Hashable, Sendable {
        package var reason: String
        package var message: String
        package var field: String
    }

    /// The HTTP status.
    package var code: Int
    /// `NotFound`, `AlreadyExists`, `Conflict`, `Invalid`, `Forbidden`, …; empty where the server gives none.
    package var reason: String
    package var message: String
    /// The object's name, kind (or resource) and group.
    package var name: String
    package var kind: String
    package var causes: [Cause]
    package var retryAfterSeconds: Int?

    package init(
        code: Int, reason: String = "", message: String, name: String = "", kind: String = "", causes: [Cause] = [],
        retryAfterSeconds: Int? = nil
    ) {
        self.code = code
        self.reason = reason
        self.message = message
        self.name = name
        self.kind = kind
        self.causes = causes
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// Reads a body; anything else than a Status becomes the message, shortened.
    package init(code: Int, body: [UInt8]) {
        guard let node = try? readJSON(body), node["kind"]?.text == "Status" else {
            let text = String(decoding: body.prefix(500), as: UTF8.self)
            self.init(code: code, message: text.split(separator: "\n").first.map(String.init) ?? "HTTP status \(code)")
            return
        }
        self.init(node: node, code: code)
    }

    init(node: Node, code: Int) {
        let details = node["details"]
        self.init(
            code: node["code"]?.intValue ?? code, reason: node["reason"]?.text ?? "",
            message: node["message"]?.text ?? "HTTP status \(code)", name: details?["name"]?.text ?? "",
            kind: details?["kind"]?.text ?? "",
            causes: (details?["causes"]?.sequence ?? []).map {
                Cause(
                    reason: $0["reason"]?.text ?? "", message: $0["message"]?.text ?? "", field: $0["field"]?.text ?? ""
                )
            }, retryAfterSeconds: details?["retryAfterSeconds"]?.intValue)
    }

    package var description: String { message }

    /// The managers that own fields this manager wanted, with the fields (a conflict of server-side apply).
    package var fieldConflicts: [Cause] { causes.filter { $0.reason == "FieldManagerConflict" } }
}
