/// A comment that speaks to the orchestrator: `@so …` at the beginning of a line. Its first word is a command, or begins an instruction to the agent.
package enum IssueCommand: Hashable, Sendable {
    case stop
    case retry
    case status
    /// Empty: none was named.
    case use(agent: String)
    case instruct(String)

    /// - Parameters:
    ///   - text: cleaned: see ``IssueText``.
    ///   - names: what it is called, without `@`.
    /// - Returns: nil where the comment does not speak to it; quotations and code do not.
    package init?(_ text: String, names: [String]) {
        var isCode = false
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let words = line.drop { $0 == " " || $0 == "\t" }
            if words.hasPrefix("```") || words.hasPrefix("~~~") { isCode.toggle() }
            guard !isCode, let rest = Self.addressed(words, names) else { continue }
            let after = lines.dropFirst(index + 1).joined(separator: "\n")
            self = Self.command(rest, after)
            return
        }
        return nil
    }

    /// What follows the name; nil where the line does not begin with it.
    private static func addressed(_ line: Substring, _ names: [String]) -> Substring? {
        guard line.first == "@" else { return nil }
        let name = line.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
        guard names.contains(where: { $0.lowercased() == name.lowercased() }) else { return nil }
        return line.dropFirst(name.count + 1).drop { " \t,:".contains($0) }
    }

    /// The first word decides, whatever politeness follows it: a stop that is missed costs more than one that was not meant.
    private static func command(_ rest: Substring, _ after: String) -> IssueCommand {
        let words = rest.split(whereSeparator: \.isWhitespace).map { bare($0) }
        switch words.first?.lowercased() {
        case "stop", "cancel": return .stop
        case "retry": return .retry
        case "status": return .status
        case "use": return .use(agent: words.dropFirst().first ?? "")
        case nil where after.allSatisfy(\.isWhitespace): return .status
        default: return .instruct(trimmedLines("\(rest)\n\(after)"))
        }
    }

    /// Without the marks that end a sentence.
    private static func bare(_ word: Substring) -> String {
        word.lastIndex { !".,:;!?".contains($0) }.map { String(word[...$0]) } ?? ""
    }
}
