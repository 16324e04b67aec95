import Specs
import YAML

/// The questions with their choices and defaults.
struct WizardQuestions {
    var defaults: Node
    var templates: [String]
    var agents: [String]

    var all: [Wizard.Question] {
        [template, languages, tools, databases, frameworks, agent, cpus, memory, disk, ports, keepRunning]
    }

    private func texts(_ key: String) -> [String] {
        defaults.items(key).compactMap { $0.text ?? $0.mapping?.entries.first?.key }
    }

    private var template: Wizard.Question {
        one(
            "template", "What is the image made of?", "one of the templates", "--template",
            templates.map { ($0, "") }, defaults.text("template") ?? "default")
    }

    private var languages: Wizard.Question {
        let own = defaults.value("languages")
        let choices = Language.all.flatMap { language in
            language.versions.map {
                Wizard.Choice(label: "\(language.name) \($0)", help: "", value: "\(language.name)=\($0)")
            }
        }
        let chosen = choices.indices.filter { index in
            (own?.mapping?.entries ?? []).contains { "\($0.key)=\($0.value.text ?? "")" == choices[index].value }
        }
        return Wizard.Question(
            key: "languages", text: "Which languages, in which versions?", help: "space chooses", flag: "--language",
            kind: .many(choices, Set(chosen)))
    }

    private var tools: Wizard.Question {
        many("tools", "Which tools?", "--tool", Tool.all.map { ($0.name, $0.summary) }, fallback: ["git"])
    }

    private var databases: Wizard.Question {
        many(
            "databases", "Which databases beside the agent?", "--database",
            Database.Kind.allCases.map { ($0.rawValue, "") })
    }

    private var frameworks: Wizard.Question {
        many("frameworks", "Which frameworks?", "--framework", Framework.allCases.map { ($0.rawValue, "") })
    }

    private var agent: Wizard.Question {
        one(
            "agent", "Which agent?", "the coding CLI", "--agent", agents.map { ($0, "") },
            defaults.text("agent") ?? "claude-code")
    }

    private var cpus: Wizard.Question {
        text("resources.cpus", "How many CPUs?", "such as 4; empty: no limit", "--cpus", .cpus)
    }
    private var memory: Wizard.Question {
        text("resources.memory", "How much memory?", "such as 8Gi; empty: no limit", "--memory", .bytes)
    }
    private var disk: Wizard.Question {
        text("resources.disk", "How much disk?", "such as 20Gi; empty: no limit", "--disk", .bytes)
    }

    private var ports: Wizard.Question {
        Wizard.Question(
            key: "ports", text: "Which ports get a URL?", help: "such as 3000, 8080", flag: "--port",
            kind: .text(texts("ports").joined(separator: ", ")) { text in
                let wrong = text.split { $0 == " " || $0 == "," }.first {
                    !(Int($0).map((1...65535).contains) ?? false)
                }
                return wrong.map { "invalid port '\($0)'" }
            })
    }

    private var keepRunning: Wizard.Question {
        one(
            "keep-running", "When the last terminal leaves?", "of a lasting workspace", "--keep-running",
            [("false", "it stops"), ("true", "it goes on")], defaults.text("keep-running") ?? "false")
    }

    private func one(
        _ key: String, _ text: String, _ help: String, _ flag: String, _ choices: [(String, String)], _ chosen: String
    ) -> Wizard.Question {
        let choices = choices.map { value, help in
            key == "keep-running"
                ? Wizard.Choice(label: help, help: "", value: value)
                : Wizard.Choice(label: value, help: help, value: value)
        }
        let index = choices.firstIndex { $0.value == chosen } ?? 0
        return Wizard.Question(key: key, text: text, help: help, flag: flag, kind: .one(choices, index))
    }

    private func many(
        _ key: String, _ text: String, _ flag: String, _ values: [(String, String)], fallback: [String] = []
    ) -> Wizard.Question {
        let own = texts(key)
        var choices = values.map { Wizard.Choice(label: $0.0, help: $0.1, value: $0.0) }
        // What the file names and no list has, such as apt:PACKAGE, stays a choice.
        for value in own where !choices.contains(where: { $0.value == value }) {
            choices.append(Wizard.Choice(label: value, help: "", value: value))
        }
        let wanted = own.isEmpty ? fallback : own
        let chosen = choices.indices.filter { wanted.contains(choices[$0].value) }
        return Wizard.Question(
            key: key, text: text, help: "space chooses", flag: flag, kind: .many(choices, Set(chosen)))
    }

    private func text(_ key: String, _ text: String, _ help: String, _ flag: String, _ rule: TextRule)
        -> Wizard.Question
    {
        let parts = key.split(separator: ".").map(String.init)
        let value = parts.reduce(Optional(defaults)) { $0?.value($1) }?.text ?? ""
        return Wizard.Question(
            key: key, text: text, help: help, flag: flag,
            kind: .text(value) { $0.isEmpty || rule.accepts($0) ? nil : "'\($0)' is not \(rule.description)" })
    }
}
