import Specs
package import YAML

/// The questions that a definition is made of: what is asked, in which order, with which choices. The terminal is another's.
package struct Wizard: Sendable {
    /// One question.
    package struct Question: Sendable {
        /// The dotted key of the answer.
        package var key: String
        package var text: String
        package var help: String
        /// The flag that answers it.
        package var flag: String
        package var kind: Kind
    }

    package enum Kind: Sendable {
        /// One of these; the index of the default.
        case one([Choice], Int)
        /// Any number of these; the indices that are chosen.
        case many([Choice], Set<Int>)
        /// A text that a check accepts: nil for one that is sound, else what is wrong.
        case text(String, @Sendable (String) -> String?)
    }

    package struct Choice: Hashable, Sendable {
        package var label: String
        package var help: String
        /// The value in workspace.yml.
        package var value: String
    }

    /// An answer, as its kind has it.
    package enum Answer: Hashable, Sendable {
        case choices([Int])
        case text(String)
    }

    package let questions: [Question]
    private let defaults: Node

    /// - Parameters:
    ///   - defaults: a document with the keys of workspace.yml.
    ///   - given: what flags have answered already, and is not asked.
    package init(defaults: Node, given: DefinitionFlags, templates: [String], agents: [String]) {
        self.defaults = defaults
        let taken = Set((given.node.mapping?.entries ?? []).map(\.key))
        let all = WizardQuestions(defaults: defaults, templates: templates, agents: agents).all
        questions = all.filter { question in
            let key = question.key.prefix { $0 != "." }
            if key == "template", defaults.value("image") != nil || defaults.value("build") != nil { return false }
            return !taken.contains(String(key))
        }
    }

    /// What to say where nobody can be asked.
    package var missingFlags: WorkspaceError {
        let flags = questions.map(\.flag).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return WorkspaceError(
            .invalid, "no terminal to ask at",
            hint: "take the defaults with --yes, or answer by flags: \(flags.joined(separator: ", "))")
    }

    /// The answers as a document with the keys of workspace.yml; an answer that is missing keeps its default.
    package func document(_ answers: [Answer]) -> Node {
        var root = Mapping()
        for (question, answer) in zip(questions, answers) { put(question, answer, &root) }
        return Node(.mapping(root))
    }

    /// The defaults with what was asked for replaced by the answers: what was chosen before and is not any more is gone.
    package func applied(_ answers: Node) -> Node {
        var kept = defaults.mapping ?? Mapping()
        for question in questions { kept[String(question.key.prefix { $0 != "." })] = nil }
        return DefinitionFile.laid(answers, over: Node(.mapping(kept)))
    }

    private func put(_ question: Question, _ answer: Answer, _ root: inout Mapping) {
        let value: Node?
        switch (question.kind, answer) {
        case (.one(let choices, _), .choices(let chosen)):
            value = chosen.first.flatMap { choices.indices.contains($0) ? choices[$0].value : nil }.flatMap {
                $0.isEmpty ? nil : question.key == "keep-running" ? .plain($0) : .string($0)
            }
        case (.many(let choices, _), .choices(let chosen)):
            let values = chosen.filter(choices.indices.contains).map { choices[$0].value }
            if question.key == "languages" { return putLanguages(values, &root) }
            value = .list(values.map { original($0, of: question.key) ?? .string($0) })
        case (.text, .text(let text)):
            let parts = text.split { $0 == " " || $0 == "," }.map(String.init)
            value = text.isEmpty ? nil : question.key == "ports" ? .list(parts.map { .plain($0) }) : .string(text)
        default: return
        }
        let parts = question.key.split(separator: ".").map(String.init)
        guard parts.count == 2, let key = parts.first, let inner = parts.last else {
            root[question.key] = value
            return
        }
        var section = root[key]?.mapping ?? Mapping()
        section[inner] = value
        root[key] = section.entries.isEmpty ? nil : Node(.mapping(section))
    }

    /// The entry of the defaults that a choice stands for: a database with its version or place.
    private func original(_ value: String, of key: String) -> Node? {
        defaults.items(key).first { $0.mapping?.entries.first?.key == value }
    }

    private func putLanguages(_ values: [String], _ root: inout Mapping) {
        var section = Mapping()
        for value in values {
            let parts = value.split(separator: "=").map(String.init)
            if let name = parts.first, let version = parts.last { section[name] = .string(version) }
        }
        root["languages"] = Node(.mapping(section))
    }
}
