/// The candidate that a mistyped name most likely meant, for "did you mean".
///
/// Case, `_` and `-` do not count; one edit is allowed in a short name, two from five letters on, three from nine on.
/// An edit is a letter added, dropped, changed, or swapped with its neighbour.
/// - Returns: the nearest candidate, the first of several; nil where none is near.
package func nearest(_ name: String, in candidates: some Sequence<String>) -> String? {
    let wanted = letters(name)
    guard !wanted.isEmpty, wanted.count <= 64 else { return nil }
    var limit = wanted.count < 5 ? 1 : wanted.count < 9 ? 2 : 3
    var best: String?
    for candidate in candidates {
        let other = letters(candidate)
        guard abs(other.count - wanted.count) <= limit, let distance = edits(wanted, other, limit: limit) else {
            continue
        }
        if best != nil && distance == limit { continue }
        if distance == 0 { return candidate }
        (best, limit) = (candidate, distance)
    }
    return best
}

private func letters(_ name: String) -> [UInt8] {
    name.lowercased().utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
}

/// The optimal string alignment distance, or nil where it exceeds the limit.
private func edits(_ one: [UInt8], _ two: [UInt8], limit: Int) -> Int? {
    var beforeLast: [Int] = []
    var last = Array(0...two.count)
    for (row, letter) in one.enumerated() {
        var current = [row + 1]
        for (column, other) in two.enumerated() {
            var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
            if row > 0, column > 0, letter == two[column - 1], one[row - 1] == other {
                cost = min(cost, beforeLast[column - 1] + 1)
            }
            current.append(cost)
        }
        (beforeLast, last) = (last, current)
    }
    return last[two.count] <= limit ? last[two.count] : nil
}
