package import Specs
import YAML

/// What `so task run` runs, in the order of its dependencies.
package struct TaskList: Hashable, Sendable {
    package var tasks: [AgentTask]
    /// How many run at a time.
    package var parallel: Int

    /// Reads tasks.json: a list of tasks, or `{"parallel": N, "tasks": […]}`. YAML is read as well, of which JSON is a part.
    ///
    /// - Parameter file: the name in diagnostics.
    /// - Throws: `InvalidInput` with every fault at its line.
    package init(_ bytes: [UInt8], file: String) throws {
        let node = try loadYAMLDocument(bytes, file: file)
        let document = node.sequence == nil ? node : Node.map([("tasks", node)])
        var validation = Validation()
        validation.check(document, .tasks, at: "")
        var diagnostics = validation.diagnostics
        let items = document.items("tasks")
        if !diagnostics.hasErrors { Self.check(items, &diagnostics) }
        try diagnostics.throwIfErrors()
        tasks = items.enumerated().map { AgentTask($1, number: $0 + 1) }
        parallel = document.value("parallel")?.text.flatMap { Int($0) } ?? 1
    }

    private static func check(_ items: [Node], _ diagnostics: inout Diagnostics) {
        var seen: Set<String> = []
        let ids = items.map { $0.text("id") ?? "" }
        for item in items {
            let id = item.text("id") ?? ""
            if !seen.insert(id).inserted {
                diagnostics.error("a second task `\(id)`", at: item.value("id")?.mark, hint: "give it another id")
            }
            if (item.value("command") == nil) == (item.value("prompt") == nil) {
                diagnostics.error(
                    "task `\(id)` needs either `command` or `prompt`", at: item.mark,
                    hint: "a command is run by the shell, a prompt by the agent")
            }
            for other in item.items("depends-on") where !ids.contains(other.text ?? "") {
                diagnostics.error(
                    "task `\(id)` depends on `\(other.text ?? "")`, which does not exist", at: other.mark,
                    hint: nearest(other.text ?? "", in: ids).map { "did you mean \($0)?" })
            }
        }
        if !diagnostics.hasErrors { checkCycles(items, &diagnostics) }
    }

    private static func checkCycles(_ items: [Node], _ diagnostics: inout Diagnostics) {
        var left = items
        var done: Set<String> = []
        while true {
            let ready = left.filter { $0.items("depends-on").allSatisfy { done.contains($0.text ?? "") } }
            guard !ready.isEmpty else { break }
            done.formUnion(ready.compactMap { $0.text("id") })
            left.removeAll { done.contains($0.text("id") ?? "") }
        }
        guard let first = left.first else { return }
        let ids = left.compactMap { $0.text("id") }.joined(separator: ", ")
        diagnostics.error(
            "tasks that depend on each other: \(ids)", at: first.value("depends-on")?.mark,
            hint: "take one of the `depends-on` away")
    }
}

/// One task of a list.
package struct AgentTask: Hashable, Sendable {
    package enum Work: Hashable, Sendable {
        /// A line of the shell.
        case command(String)
        /// An instruction of the agent.
        case prompt(String)
    }

    package var id: String
    package var name: String
    package var work: Work
    /// Relative to the checkout.
    package var workingDirectory: String?
    package var environment: [String: String]
    /// It is ended when it has written nothing for so many seconds.
    package var silenceLimit: Int?
    /// Whether the others go on where it fails.
    package var continuesOnError: Bool
    package var dependencies: [String]
    /// How often it is run again where it fails.
    package var retries: Int

    /// - Parameter node: one that the table has accepted.
    fileprivate init(_ node: Node, number: Int) {
        id = node.text("id") ?? "\(number)"
        name = node.text("name") ?? id
        work = node.text("command").map { .command($0) } ?? .prompt(node.text("prompt") ?? "")
        workingDirectory = node.text("cwd")
        environment = Dictionary(node.textMap("environment").map { ($0.key, $0.value.value) }) { $1 }
        silenceLimit = node.text("timeout-without-output").flatMap { seconds($0) ?? Int($0) }
        continuesOnError = node.text("continue-on-error") == "true"
        dependencies = node.items("depends-on").compactMap(\.text)
        retries = node.text("retries").flatMap { Int($0) } ?? 0
    }
}

extension Shape {
    /// The keys of tasks.json.
    package static let tasks = Shape.fields([
        Field("parallel", .integer(1...64), "how many tasks run at a time; 1 by default"),
        Field("tasks", .list(task), required: true, "the tasks"),
    ])

    /// tasks.json as a whole: a plain list of tasks does as well.
    package static let tasksDocument = Shape.scalarOr(.list(task), tasks)

    private static let task = Shape.fields([
        Field("id", .checked(.label), required: true, "what others depend on"),
        Field("name", .text, "for people; the id by default"),
        Field("command", .checked(.nonEmpty), "a line of the shell"),
        Field("prompt", .checked(.nonEmpty), "an instruction of the agent, instead of a command"),
        Field("cwd", .checked(.innerPath), "the directory, within the checkout"),
        Field("environment", .mapping(.variable, .text), "variables; no secrets"),
        Field("timeout-without-output", .checked(.silence), "ends it when it writes nothing for so long"),
        Field("continue-on-error", .bool, "whether the others go on where it fails"),
        Field("depends-on", .list(.checked(.label)), "tasks that must have ended well before"),
        Field("retries", .integer(0...100), "how often it is run again where it fails"),
    ])
}

extension TextRule {
    /// Seconds, or a time such as 5m.
    fileprivate static let silence = TextRule("seconds, or a time such as 5m", pattern: "^[0-9]+[smhd]?$") {
        seconds($0) != nil || Int($0).map { $0 > 0 } == true && $0.first != "+"
    }
}
