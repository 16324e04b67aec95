import Workspaces

/// One question while it is answered: where the cursor is, what is chosen, what is typed.
struct WizardField {
    let question: Wizard.Question
    private var cursor = 0
    private var chosen: Set<Int> = []
    private var text = ""
    private var problem: String?

    init(_ question: Wizard.Question) {
        self.question = question
        switch question.kind {
        case .one(_, let index): cursor = index
        case .many(_, let indices):
            chosen = indices
            cursor = indices.min() ?? 0
        case .text(let value, _): text = value
        }
    }

    private var choices: [Wizard.Choice] {
        switch question.kind {
        case .one(let choices, _), .many(let choices, _): choices
        case .text: []
        }
    }

    var answer: Wizard.Answer {
        switch question.kind {
        case .one: .choices([cursor])
        case .many: .choices(chosen.sorted())
        case .text: .text(text)
        }
    }

    /// The answer in words.
    var summary: String {
        switch question.kind {
        case .one(let choices, _): choices.indices.contains(cursor) ? choices[cursor].label : ""
        case .many(let choices, _):
            chosen.isEmpty ? "none" : chosen.sorted().map { choices[$0].label }.joined(separator: ", ")
        case .text: text.isEmpty ? "-" : text
        }
    }

    /// Takes a key; true once the question is answered.
    mutating func take(_ key: Key) -> Bool {
        problem = nil
        switch (key, question.kind) {
        case (.enter, .text(_, let check)):
            problem = check(text)
            return problem == nil
        case (.enter, _): return true
        case (.character(let character), .text): text.append(character)
        case (.space, .text): text.append(" ")
        case (.backspace, .text): _ = text.popLast()
        case (_, .text): break
        case (.up, _): move(-1)
        case (.down, _): move(1)
        case (.pageUp, _): move(-8)
        case (.pageDown, _): move(8)
        case (.space, .many): chosen.formSymmetricDifference([cursor])
        case (.space, .one): return true
        default: break
        }
        return false
    }

    private mutating func move(_ step: Int) {
        guard !choices.isEmpty else { return }
        cursor =
            abs(step) == 1
            ? (cursor + step + choices.count) % choices.count : min(max(cursor + step, 0), choices.count - 1)
    }

    /// What is shown: never more lines than the terminal has.
    func lines(number: Int, of count: Int, height: Int, colors: Bool) -> [String] {
        func dim(_ text: String) -> String { colors ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
        func bold(_ text: String) -> String { colors ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
        let heading = "\(dim("\(number)/\(count)")) \(bold(question.text)) \(dim(question.help))"
        guard case .text = question.kind else {
            return [heading] + rows(height: height, colors: colors) + [
                dim("↑ ↓ move · \(isMany ? "space chooses · " : "")return continues · esc goes back")
            ]
        }
        return [heading, "> \(text)█"] + [
            problem.map { colors ? "\u{1B}[31m\($0)\u{1B}[0m" : $0 } ?? dim("return continues · esc goes back")
        ]
    }

    private var isMany: Bool { if case .many = question.kind { true } else { false } }

    private func rows(height: Int, colors: Bool) -> [String] {
        let room = max(3, min(choices.count, height - 4))
        let first = max(0, min(cursor - room / 2, choices.count - room))
        return (first..<min(first + room, choices.count)).map { index in
            let choice = choices[index]
            let box = isMany ? (chosen.contains(index) ? "[x] " : "[ ] ") : ""
            let more =
                index == first && first > 0 ? " ↑" : index == first + room - 1 && index < choices.count - 1 ? " ↓" : ""
            let label = "\(box)\(choice.label)\(choice.help.isEmpty ? "" : "  \(choice.help)")\(more)"
            guard index == cursor else { return "  \(label)" }
            return colors ? "\u{1B}[36m❯ \(label)\u{1B}[0m" : "❯ \(label)"
        }
    }
}
