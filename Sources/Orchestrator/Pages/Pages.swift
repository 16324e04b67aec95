import FoundationEssentials
import Mustache

/// The pages for people.
struct Pages: Sendable {
    let parts: ServerParts
    let access: Access
    private let library: MustacheLibrary

    init(_ parts: ServerParts) throws {
        self.parts = parts
        access = Access(parts: parts)
        library = try PageTemplates.library()
    }

    var routes: [Route] {
        Assets.routes + SignInRoutes(pages: self).routes + TaskPages(pages: self).routes
            + AdministrationPages(pages: self).routes + [Route("GET", "/") { _ in .redirect("/tasks") }]
    }

    typealias Values = [String: Any]

    /// Renders a page with its frame.
    func page(_ name: String, title: String, _ visitor: Visitor?, at path: String = "", _ values: Values) throws
        -> WebResponse
    {
        var values = values
        values["title"] = values["title"] ?? title
        if let visitor {
            values["visitor"] =
                [
                    "login": visitor.login, "form": visitor.formToken, "navigation": navigation(visitor, path),
                ] as Values
            values["form"] = visitor.formToken
        }
        guard let text = library.render(values, withTemplate: name) else {
            throw OrchestratorError(.failed, "unknown page \(name)")
        }
        return WebResponse(type: "text/html; charset=utf-8", text)
    }

    private func navigation(_ visitor: Visitor, _ path: String) -> [Values] {
        var entries = [("Tasks", "/tasks"), ("Projects", "/projects")]
        if visitor.role == .administrator {
            entries += [
                ("Agents", "/agents"), ("Credentials", "/credentials"), ("Activity", "/activity"),
                ("Settings", "/settings"),
            ]
        }
        return entries.map { ["name": $0.0, "path": $0.1, "current": $0.1 == path] }
    }

    /// How a refusal looks.
    func failure(_ failure: WebFailure, hint: String?, _ visitor: Visitor?) throws -> WebResponse {
        let headings = [403: "Not permitted", 404: "Not found", 409: "Elsewhere", 503: "The store does not answer"]
        var values: Values = ["heading": headings[failure.status] ?? "That did not work", "message": failure.message]
        values["hint"] = hint
        var response = try page("error", title: "\(failure.status)", visitor, values)
        response.status = failure.status
        return response
    }
}

/// How values look on pages.
enum PageText {
    static func time(_ date: Date) -> String { date.formatted(.iso8601) }

    /// `2026-11-23 12:04`, in UTC.
    static func when(_ date: Date) -> String {
        String(date.formatted(.iso8601).prefix(16)).replacing("T", with: " ")
    }

    static func dollars(_ cost: Double) -> String {
        let cents = Int((cost * 100).rounded())
        return "$\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
    }

    /// An address of the forge; anything else, such as `javascript:`, leads nowhere.
    static func address(_ text: String) -> String {
        text.hasPrefix("https://") || text.hasPrefix("http://") ? text : "#"
    }
}
