// Texts of strangers and agents, as they may stand among our own.
extension ReportText {
    static func dollars(_ amount: Double) -> String {
        let cents = Int((amount * 100).rounded())
        return "$\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
    }

    /// One line, without markup that would do something.
    static func plain(_ text: String, limit: Int) -> String {
        harmless(redacted(IssueText.line(text, limit: limit))).replacing("`", with: "'")
    }

    /// Text whose mentions notify nobody and whose markup hides nothing.
    static func quoted(_ text: String, limit: Int) -> String {
        let cleaned = redacted(IssueText(text).text)
        let cut = cleaned.count > limit ? cleaned.prefix(limit) + "…" : cleaned
        return harmless(String(cut)).replacing("<", with: "&lt;")
    }

    /// What messages of commits do to other issues when they are merged: the messages are the agent's, and pushed as they are.
    static func warning(_ effects: [ForeignEffect]?) -> [String] {
        guard let effects, !effects.isEmpty else { return [] }
        let shown = effects.prefix(20).map { effect in
            "- commit \(effect.commit): " + effect.names.map { plain($0, limit: 200) }.joined(separator: ", ")
        }
        let rest = effects.count > shown.count ? ["- and \(effects.count - shown.count) more commits"] : []
        return ["", "**Warning: when this is merged, messages of its commits act on other issues than its own:**", ""]
            + shown + rest + [""]
    }

    /// In a block that the text cannot end.
    static func fenced(_ text: String, limit: Int) -> String {
        let text = redacted(text)
        // A forge puts the text of a pull request into the commit of its merge, where a block is none.
        let cut = closingNothing(text.count > limit ? "…" + text.suffix(limit) : text)
        var longest = 2
        for run in cut.matches(of: /`+/) { longest = max(longest, run.output.count) }
        let fence = String(repeating: "`", count: longest + 1)
        return "\(fence)\n\(cut)\n\(fence)"
    }

    /// The beginning, which says what failed, and the end, which says why.
    static func ended(_ text: String, limit: Int) -> String {
        guard text.count > limit else { return text }
        return "\(text.prefix(limit / 4))\n…\n\(text.suffix(limit - limit / 4))"
    }

    /// Without mentions, references, closing words and GitLab's quick actions (`/merge` at a line's beginning) that would have an effect at the forge; to
    /// people it looks the same.
    static func harmless(_ text: String) -> String {
        closingNothing(text).replacing("@", with: "@\(joiner)")
            .replacing(/^([ \t>]*)\/(?=[A-Za-z])/.anchorsMatchLineEndings()) { "\($0.1)\(joiner)/" }
    }

    /// Neither `closes #12`, nor GitLab's `implements !3`, nor an address behind such a word does anything to another issue.
    static func closingNothing(_ text: String) -> String {
        text.replacing(/([#!])(?=\d)/) { "\($0.1)\(joiner)" }
            .replacing(/\b([Gg][Hh]-)(?=\d)/) { "\($0.1)\(joiner)" }
            .replacing(closingWord) { "\($0.1)\(joiner)\($0.2)" }
    }

    /// Of all forges, before an address: U+2060 ends a word for them, and is not seen.
    private nonisolated(unsafe) static let closingWord =
        /\b([cfri])((?:los|ix|esolv|mplement)(?:e|es|ed|ing|s|d)?)(?=[\s:]+\S{0,20}https?:\/\/)/.ignoresCase()
    private static let joiner = "\u{2060}"
}
