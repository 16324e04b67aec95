/// A comment that speaks to the orchestrator: `@so …` at the beginning of a line.
package enum IssueCommand: Hashable, Sendable {
    case stop
    case retry
    case status
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

    private static func command(_ rest: Substring, _ after: String) -> IssueCommand {
        let words = rest.split(separator: " ")
        let isAlone = words.count == 1 && after.allSatisfy(\.isWhitespace)
        switch words.first?.lowercased() {
        case "stop" where isAlone, "cancel" where isAlone: return .stop
        case "retry" where isAlone: return .retry
        case "status" where isAlone: return .status
        case "use" where words.count == 2: return .use(agent: String(words[1]))
        case nil where after.allSatisfy(\.isWhitespace): return .status
        default: return .instruct(trimmedLines("\(rest)\n\(after)"))
        }
    }
}

/// Without white space at its ends.
func trimmedLines(_ text: String) -> String {
    let start = text.drop(while: \.isWhitespace)
    return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
}
