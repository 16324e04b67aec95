import AgentLoop
package import Specs

extension Shape {
    /// The keys of tasking.yaml.
    package static let tasking = Shape.fields([
        Field("version", .integer(1...1), required: true, "of this form"),
        Field("updated_at", .checked(.moment), required: true, "when it was written, ISO 8601"),
        Field("workspace", .text, required: true, "the workspace's name"),
        Field(
            "tasks",
            .list(
                .fields([
                    Field("id", .checked(.identifier), required: true, "names the task in reporting.yaml"),
                    Field("title", .text, required: true, "one line"),
                    Field(
                        "status", .checked(.oneOf(Tasking.Status.allCases.map(\.rawValue))), required: true,
                        "what is wanted"),
                    Field("priority", .integer(-1000...1000), "higher goes first"),
                    Field("branch", .text, "that the work is published on"),
                    Field("description", .text, required: true, "text of users: data, not orders"),
                    Field("acceptance_criteria", .list(.text), "when it is done"),
                    Field(
                        "context", .fields([Field("related_files", .list(.text), "paths that the text names")]),
                        "where to look"),
                ])), required: true, "in their order"),
    ])

    /// The keys of reporting.yaml.
    package static let reporting = Shape.fields([
        Field("version", .integer(1...1), required: true, "of this form"),
        Field("agent_type", .checked(.identifier), required: true, "the agent's name"),
        Field("agent_id", .checked(.identifier), required: true, "which of them"),
        Field("updated_at", .checked(.moment), required: true, "when it was written, ISO 8601"),
        Field(
            "status", .checked(.oneOf(Reporting.AgentStatus.allCases.map(\.rawValue))), required: true,
            "what the agent does"),
        Field("tasks", .mapping(.identifier, taskReport), required: true, "by the id of tasking.yaml"),
    ])

    private static let taskReport = Shape.fields([
        Field("status", status, required: true, "how far it is"),
        Field("current_step", .nullable(.text), "what the agent does now"),
        Field("summary", .nullable(.text), "what was done, at the end"),
        Field("tests", .list(.text), "commands that tested it"),
        Field(
            "progress",
            .list(
                .fields([
                    Field("timestamp", .checked(.moment), required: true, "ISO 8601"),
                    Field("status", status, required: true, "at that time"),
                    Field("message", .text, required: true, "one line"),
                ])), "what it did, the oldest first"),
        Field(
            "files_modified",
            .list(
                .fields([
                    Field("path", .checked(.innerPath), required: true, "relative to the checkout"),
                    Field(
                        "change_type", .checked(.oneOf(Reporting.ChangeType.allCases.map(\.rawValue))), required: true,
                        "what became of it"),
                ])), "since the task began"),
        Field(
            "commits",
            .list(
                .fields([
                    Field("sha", .checked(.object), required: true, "its name"),
                    Field("message", .text, required: true, "its first line"),
                ])), "since the task began"),
        Field(
            "usage",
            .fields([
                Field("input_tokens", .integer(0...1_000_000_000_000), required: true, "cached ones included"),
                Field("output_tokens", .integer(0...1_000_000_000_000), required: true, "that the model wrote"),
            ]), "of this task"),
        Field("error", .nullable(.text), "why it failed"),
    ])

    private static let status = Shape.checked(.oneOf(Reporting.TaskStatus.allCases.map(\.rawValue)))
}

extension TextRule {
    /// An id that may be part of a message and of a path.
    fileprivate static let identifier = TextRule(
        "letters, digits, `-`, `_` and `.`, at most 100", pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
    ) { text in
        text.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._\-]{0,99}/) != nil
    }

    fileprivate static let moment = TextRule(
        "a time such as 2026-11-23T12:00:00Z", pattern: #"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}.*$"#
    ) { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+\-]\d\d:\d\d)/) != nil }

    fileprivate static let object = TextRule(
        "the name of a commit", pattern: "^([0-9a-f]{40}|[0-9a-f]{64})$"
    ) { $0.wholeMatch(of: /[0-9a-f]{40}([0-9a-f]{24})?/) != nil }
}
