/// The text of somebody at the forge without what people do not see when they read it there: hidden comments, invisible characters, alternative
/// texts, titles of links. An agent reads what a reviewer read, no more; what was taken out is shown as taken out.
package struct IssueText: Hashable, Sendable {
    package let text: String
    /// How many things were taken out.
    package let removals: Int

    /// Longer texts are cut.
    package static let limit = 60_000

    package init(_ raw: String) {
        let (beginning, isCut) = Self.cut(raw)
        var cleaning = Cleaning(beginning.replacing("\r\n", with: "\n"))
        // What was cut before its end is not known to be seen.
        if isCut { cleaning.removeUnended() }
        cleaning.removeComments()
        cleaning.removeReferences()
        cleaning.removeHiddenWords()
        cleaning.removeInvisible()
        removals = cleaning.removals
        text = isCut ? cleaning.text + "\n[cut here]" : cleaning.text
    }

    /// Before anything looks at it: strangers write as much as they like.
    private static func cut(_ raw: String) -> (String, Bool) {
        let scalars = raw.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return (raw, false) }
        return (String(scalars[..<end]), true)
    }

    /// Whether a text could speak to somebody: cheap, and true for every text that does.
    static func mentions(_ names: [String], _ raw: String) -> Bool {
        let text = cut(raw).0.lowercased()
        return names.contains { text.contains("@\($0.lowercased())") }
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

    /// What hides a text, and has no end any more.
    mutating func removeUnended() {
        for (start, end) in [("![", "]("), ("<", ">"), ("](", ")")] {
            guard let place = text.ranges(of: start).last?.lowerBound,
                !text[place...].dropFirst(start.count).contains(end)
            else { continue }
            text = String(text[..<place])
            removals += 1
        }
    }

    /// `[//]: # (text)` is a link's definition, and shows nothing.
    mutating func removeReferences() {
        let used = usedLabels()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> Substring in
            guard let match = line.wholeMatch(of: /\s{0,3}\[([^\]]+)\]:\s*(\S+)(\s+["'(].*)?\s*/) else { return line }
            let isUsed = used.contains(String(match.1))
            if isUsed, match.3 == nil { return line }
            removals += 1
            return isUsed ? "[\(match.1)]: \(match.2)" : "[hidden text removed]"
        }
        text = lines.joined(separator: "\n")
    }

    /// `[label]` before a space or a line's end, and `[text][label]`.
    private func usedLabels() -> Set<String> {
        let bytes = Array(text.utf8)
        var (labels, open): (Set<String>, Int?) = ([], nil)
        for (place, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "[") { open = place }
            guard byte == UInt8(ascii: "]"), let start = open else { continue }
            open = nil
            let next = place + 1 < bytes.count ? bytes[place + 1] : 0
            let isSecond = start > 0 && bytes[start - 1] == UInt8(ascii: "]")
            guard isSecond || next == UInt8(ascii: "\n") || next == UInt8(ascii: " ") else { continue }
            labels.insert(String(decoding: bytes[(start + 1)..<place], as: UTF8.self))
        }
        return labels
    }

    /// Alternative texts of images, titles of links, and attributes of tags: seen when a mouse rests there, or never.
    mutating func removeHiddenWords() {
        removeAlternatives()
        text = text.replacing(/(\]\([^()\s]+)\s+(?:"[^"]*"|'[^']*')\)/) { match in
            removals += 1
            return "\(match.1))"
        }
        text = text.replacing(/<([A-Za-z][A-Za-z0-9]*)\s[^<>]*>/) { match in
            removals += 1
            return "<\(match.1)>"
        }
    }

    /// `![alternative](` by hand: a pattern looks from each beginning to the text's end.
    private mutating func removeAlternatives() {
        let bytes = Array(text.utf8)
        var (result, place, kept): ([UInt8], Int, Int) = ([], 0, 0)
        var start: Int?
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "!"), place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "[") {
                start = start ?? place + 2
                place += 2
                continue
            }
            if bytes[place] == UInt8(ascii: "]"), let from = start {
                start = nil
                if place > from, place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "(") {
                    removals += 1
                    result += bytes[kept..<from]
                    kept = place
                }
            }
            place += 1
        }
        guard kept > 0 else { return }
        text = String(decoding: result + bytes[kept...], as: UTF8.self)
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

/// Without white space at its ends.
func trimmedLines(_ text: String) -> String {
    let start = text.drop(while: \.isWhitespace)
    return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
}
