import YAML

/// The API's document, made of the very table that answers: https://spec.openapis.org/oas/v3.1.0
struct OpenAPI {
    let routes: [Route]
    let url: String

    var node: Node {
        var paths: [(String, Node)] = []
        for pattern in Set(routes.filter { $0.operation != nil }.map(\.pattern)).sorted() {
            let own = routes.filter { $0.pattern == pattern }
            let operations = own.compactMap { route in
                route.operation.map { (route.method.lowercased(), operation($0, of: route)) }
            }
            paths.append((pattern, .map(operations)))
        }
        return .map([
            ("openapi", .string("3.1.0")),
            ("info", .map([("title", .string("so orchestrator")), ("version", .string("1"))])),
            ("servers", .list([.map([("url", .string(url))])])),
            ("security", .list([.map([("administrator", .list([]))]), .map([("session", .list([]))])])),
            ("paths", .map(paths)),
            ("components", .map([("securitySchemes", Self.security), ("schemas", Self.schemas)])),
        ])
    }

    private func operation(_ operation: Operation, of route: Route) -> Node {
        let names = route.pattern.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
        let inPath = names.map { name in
            Node.map([
                ("name", .string(String(name))), ("in", .string("path")), ("required", .plain("true")),
                ("schema", name == "id" ? Self.number(from: 1) : Self.type("string")),
            ])
        }
        var entries: [(String, Node)] = [
            ("operationId", .string(operation.id)), ("summary", .string(operation.summary)),
            ("parameters", .list(inPath + operation.query.map(parameter))),
        ]
        if let body = operation.body {
            entries.append(
                (
                    "requestBody",
                    .map([("required", .plain("true")), ("content", content("application/json", Self.reference(body)))])
                ))
        }
        entries.append(("responses", responses(operation)))
        return .map(entries)
    }

    private func parameter(_ parameter: Operation.Parameter) -> Node {
        var schema = parameter.isInteger ? Self.number(from: 0) : Self.type("string")
        if !parameter.values.isEmpty {
            schema = .map([("type", .string("string")), ("enum", .list(parameter.values.map { .string($0) }))])
        }
        return .map([
            ("name", .string(parameter.name)), ("in", .string("query")), ("description", .string(parameter.summary)),
            ("schema", schema),
        ])
    }

    private func responses(_ operation: Operation) -> Node {
        var success: [(String, Node)] = [("description", .string("done"))]
        if let result = operation.result {
            let item = Self.reference(result)
            let schema = operation.isList ? Node.map([("type", .string("array")), ("items", item)]) : item
            success.append(("content", content(operation.type, schema)))
        } else if operation.type != "application/json" {
            success.append(("content", content(operation.type, Self.type("string"))))
        }
        let failures = ([401] + operation.failures).sorted().map { status in
            (
                "\(status)",
                Node.map([
                    ("description", .string(Self.descriptions[status] ?? "refused")),
                    ("content", content("application/json", Self.reference("Failure"))),
                ])
            )
        }
        return .map([("\(operation.status)", .map(success))] + failures)
    }

    private static let descriptions = [
        400: "a parameter or the body is invalid", 401: "sign in first", 403: "not permitted", 404: "no such thing",
        409: "another host holds it",
    ]

    private func content(_ type: String, _ schema: Node) -> Node { .map([(type, .map([("schema", schema)]))]) }

    static func type(_ name: String) -> Node { .map([("type", .string(name))]) }
    static func number(from least: Int) -> Node {
        .map([("type", .string("integer")), ("format", .string("int64")), ("minimum", .plain("\(least)"))])
    }
    static func reference(_ name: String) -> Node { .map([("$ref", .string("#/components/schemas/\(name)"))]) }

    private static let security = Node.map([
        ("administrator", .map([("type", .string("http")), ("scheme", .string("bearer"))])),
        (
            "session",
            .map([("type", .string("apiKey")), ("in", .string("cookie")), ("name", .string(Access.cookie))])
        ),
    ])
}
