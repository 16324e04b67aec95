import Testing
import YAML

@testable import Workspaces

@Suite struct TaskListTests {
    private func diagnostics(_ text: String) -> [String] {
        do {
            _ = try TaskList(Array(text.utf8), file: "tasks.json")
            return []
        } catch let error as InvalidInput {
            return error.diagnostics.map(\.description)
        } catch {
            return ["\(error)"]
        }
    }

    @Test func `a list, and an object with a number, are read alike`() throws {
        let list = try TaskList(Array(#"[{"id": "a", "command": "true"}]"#.utf8), file: "tasks.json")
        #expect(list.parallel == 1 && list.tasks.map(\.id) == ["a"] && list.tasks[0].name == "a")
        let text =
            #"{"parallel": 3, "tasks": [{"id": "b", "prompt": "go", "timeout-without-output": "5m", "retries": 2}]}"#
        let object = try TaskList(Array(text.utf8), file: "tasks.json")
        #expect(object.parallel == 3)
        #expect(
            object.tasks[0].work == .prompt("go") && object.tasks[0].silenceLimit == 300 && object.tasks[0].retries == 2
        )
    }

    @Test(arguments: [
        (#"[{"id": "a"}]"#, "tasks.json:1:2: error: task `a` needs either `command` or `prompt`"),
        (#"[{"id": "a", "command": "x", "prompt": "y"}]"#, "either `command` or `prompt`"),
        (#"[{"id": "a", "command": "x"}, {"id": "a", "command": "x"}]"#, "a second task `a`"),
        (
            #"[{"id": "first", "command": "x"}, {"id": "b", "command": "x", "depends-on": ["frist"]}]"#,
            "did you mean first?"
        ),
        (
            #"[{"id": "a", "command": "x", "depends-on": ["b"]}, {"id": "b", "command": "x", "depends-on": ["a"]}]"#,
            "depend on each other: a, b"
        ),
        (#"[{"id": "a", "command": "x", "cwd": "../up"}]"#, "tasks.json:1:"),
        (#"[{"id": "a", "command": "x", "retry": 1}]"#, "retr"),
        (#"[{"id": "a", "command": "x", "timeout-without-output": "soon"}]"#, "tasks.json:1:"),
        (#"{"tasks": 3}"#, "tasks.json:1:"),
    ])
    func `every fault is named with its place`(_ text: String, _ words: String) {
        #expect(diagnostics(text).contains { $0.contains(words) }, "\(diagnostics(text))")
    }
}
