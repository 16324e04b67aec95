import YAML

extension OpenAPI {
    static let schemas = Node.map([
        (
            "Task",
            object(
                required: [
                    "id", "repository", "issue", "issueURL", "title", "state", "priority", "agent", "branch",
                    "attempts", "rounds",
                    "inputTokens", "outputTokens", "costUSD", "requestedBy", "blockedBy", "createdAt", "updatedAt",
                ],
                [
                    ("id", number(from: 1)), ("repository", type("string")), ("issue", number(from: 1)),
                    ("issueURL", type("string")), ("title", type("string")),
                    ("state", values(TaskState.allCases.map(\.rawValue))), ("priority", type("integer")),
                    ("agent", type("string")), ("branch", type("string")), ("pullRequest", number(from: 1)),
                    ("pullRequestURL", type("string")), ("currentStep", type("string")), ("failure", type("string")),
                    ("failureKind", values(TaskFailure.Kind.allCases.map(\.rawValue))), ("attempts", number(from: 0)),
                    ("rounds", number(from: 0)),
                    ("inputTokens", number(from: 0)), ("outputTokens", number(from: 0)), ("costUSD", type("number")),
                    ("requestedBy", type("string")), ("session", type("string")), ("host", type("string")),
                    ("blockedBy", .map([("type", .string("array")), ("items", number(from: 1))])),
                    ("createdAt", time), ("updatedAt", time),
                ])
        ),
        (
            "Activity",
            object(
                required: ["id", "at", "kind", "actor", "message"],
                [
                    ("id", number(from: 1)), ("at", time), ("task", number(from: 1)),
                    ("kind", values(Activity.Kind.allCases.map(\.rawValue))), ("actor", type("string")),
                    ("message", type("string")), ("state", values(TaskState.allCases.map(\.rawValue))),
                ])
        ),
        (
            "Output",
            object(
                required: ["id", "at", "text"], [("id", number(from: 1)), ("at", time), ("text", type("string"))])
        ),
        (
            "Project",
            object(
                required: ["repository", "label", "agent", "costUSD", "diskBytes", "tasks"],
                [
                    ("repository", type("string")), ("label", type("string")), ("agent", type("string")),
                    ("maxParallel", number(from: 1)), ("budgetUSD", type("number")), ("costUSD", type("number")),
                    ("diskBytes", number(from: 0)), ("diskLimitBytes", number(from: 0)),
                    ("tasks", .map([("type", .string("object")), ("additionalProperties", number(from: 0))])),
                ])
        ),
        (
            "Agent",
            object(
                required: ["session", "task", "profile", "host", "state", "since"],
                [
                    ("session", type("string")), ("task", number(from: 1)), ("profile", type("string")),
                    ("host", type("string")), ("state", values(AgentRecord.State.allCases.map(\.rawValue))),
                    ("since", time),
                ])
        ),
        ("Credential", object(required: ["name"], [("name", type("string"))])),
        ("CredentialValue", object(required: ["value"], [("value", text(1, 65536))])),
        ("Instruction", object(required: ["text"], [("text", text(1, 65536))])),
        ("Failure", object(required: ["message"], [("message", type("string")), ("hint", type("string"))])),
    ])

    private static let time = Node.map([("type", .string("string")), ("format", .string("date-time"))])

    private static func text(_ least: Int, _ most: Int) -> Node {
        .map([("type", .string("string")), ("minLength", .plain("\(least)")), ("maxLength", .plain("\(most)"))])
    }

    private static func values(_ values: [String]) -> Node {
        .map([("type", .string("string")), ("enum", .list(values.map { .string($0) }))])
    }

    private static func object(required: [String], _ properties: [(String, Node)]) -> Node {
        .map([
            ("type", .string("object")), ("required", .list(required.map { .string($0) })),
            ("properties", .map(properties)),
        ])
    }
}
