/// When a CronJob runs: minute, hour, day of the month, month and day of the week, or a macro.
///
/// Rule: <https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax>
struct CronSchedule: Hashable {
    let text: String

    private struct Field {
        var range: ClosedRange<Int>
        var names: [String] = []
    }

    private static let macros: Set<String> = [
        "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly",
    ]
    private static let fields = [
        Field(range: 0...59), Field(range: 0...23), Field(range: 1...31),
        Field(
            range: 1...12,
            names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]),
        Field(range: 0...6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]),
    ]

    /// Nil for what the API refuses.
    init?(_ text: String) {
        let words = text.split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
        self.text = text
        if words.count == 1, Self.macros.contains(words[0]) { return }
        guard words.count == Self.fields.count,
            zip(words, Self.fields).allSatisfy({ word, field in
                word.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { Self.isItem($0, field) }
            })
        else { return nil }
    }

    /// `*`, `?`, a value or a range, each with a step or without.
    private static func isItem(_ item: Substring, _ field: Field) -> Bool {
        let parts = item.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.count == 1 || (number(parts[1]) ?? 0) > 0 else { return false }
        if parts[0] == "*" || parts[0] == "?" { return true }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { value($0, field) }
        guard let first = ends[0], ends.count <= 2 else { return false }
        guard ends.count == 2 else { return true }
        return ends[1].map { $0 >= first } ?? false
    }

    private static func value(_ text: Substring, _ field: Field) -> Int? {
        if let index = field.names.firstIndex(of: String(text)) { return field.range.lowerBound + index }
        return number(text).flatMap { field.range.contains($0) ? $0 : nil }
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
