/// The text of somebody at the forge without what people do not see when they read it there: hidden comments, invisible characters, alternative
/// texts, titles of links. An agent reads what a reviewer read, no more; what was taken out is shown as taken out.
package struct IssueText: Hashable, Sendable {
    package let text: String
    /// How many things were taken out.
    package let removals: Int

    /// Longer texts are cut.
    package static let limit = 60_000

    package init(_ raw: String) {
        var cleaning = Cleaning(raw.replacing("\r\n", with: "\n"))
        cleaning.removeComments()
        cleaning.removeReferences()
        cleaning.removeHiddenWords()
        cleaning.removeInvisible()
        removals = cleaning.removals
        let text = cleaning.text
        self.text = text.count > Self.limit ? String(text.prefix(Self.limit)) + "\n[cut here]" : text
    }

    /// A title: one line, without what is not seen.
    package static func line(_ raw: String, limit: Int = 200) -> String {
        let text = IssueText(raw).text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return text.count > limit ? text.prefix(limit - 1) + "…" : text
    }
}

private struct Cleaning {
    var text: String
    var removals = 0

    init(_ text: String) { self.text = text }

    /// One that is not closed hides everything behind it.
    mutating func removeComments() {
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "<!--") {
            result += rest[..<start.lowerBound] + "[hidden comment removed]"
            removals += 1
            guard let end = rest[start.upperBound...].firstRange(of: "-->") else {
                rest = ""
                break
            }
            rest = rest[end.upperBound...]
        }
        text = result + rest
    }

    /// `[//]: # (text)` is a link's definition, and shows nothing.
    mutating func removeReferences() {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> Substring in
            guard let match = line.wholeMatch(of: /\s{0,3}\[([^\]]+)\]:\s*(\S+)(\s+["'(].*)?\s*/) else { return line }
            let isUsed =
                text.contains("[\(match.1)]\n") || text.contains("][\(match.1)]") || text.contains("[\(match.1)] ")
            if isUsed, match.3 == nil { return line }
            removals += 1
            return isUsed ? "[\(match.1)]: \(match.2)" : "[hidden text removed]"
        }
        text = lines.joined(separator: "\n")
    }

    /// Alternative texts of images, titles of links, and attributes of tags: seen when a mouse rests there, or never.
    mutating func removeHiddenWords() {
        replace(/!\[[^\]]+\]\(/, with: "![](")
        text = text.replacing(/(\]\([^()\s]+)\s+(?:"[^"]*"|'[^']*')\)/) { match in
            removals += 1
            return "\(match.1))"
        }
        text = text.replacing(/<([A-Za-z][A-Za-z0-9]*)\s[^<>]*>/) { match in
            removals += 1
            return "<\(match.1)>"
        }
    }

    private mutating func replace(_ pattern: Regex<Substring>, with replacement: String) {
        let count = text.matches(of: pattern).count
        guard count > 0 else { return }
        removals += count
        text.replace(pattern, with: replacement)
    }

    mutating func removeInvisible() {
        var result = String.UnicodeScalarView()
        var isMarked = false
        for scalar in text.unicodeScalars {
            guard isInvisible(scalar) else {
                result.append(scalar)
                isMarked = false
                continue
            }
            removals += 1
            // One mark for a row of them.
            if !isMarked { result.append(contentsOf: "[invisible text removed]".unicodeScalars) }
            isMarked = true
        }
        text = String(result)
    }

    /// Formats, controls, tags, variation selectors but the one of emoji, and letters that are drawn as nothing.
    private func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0xFE0F: return false
        case 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0x2800, 0xFE00...0xFE0E, 0xE0100...0xE01EF: return true
        default:
            switch scalar.properties.generalCategory {
            case .control, .format, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return true
            default: return false
            }
        }
    }
}
