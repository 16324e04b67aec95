/// The lines that differ between two texts, as `-old` and `+new` with their numbers; a file that is not a text is only called so.
package func lineChanges(from old: [UInt8], to new: [UInt8]) -> [String] {
    guard let old = String(validating: old, as: UTF8.self), let new = String(validating: new, as: UTF8.self) else {
        return ["(not a text)"]
    }
    let difference = lines(new).difference(from: lines(old))
    let changes = difference.map { change in
        switch change {
        case .remove(let offset, let line, _): (offset, 0, "-\(offset + 1): \(line)")
        case .insert(let offset, let line, _): (offset, 1, "+\(offset + 1): \(line)")
        }
    }
    return changes.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
}

private func lines(_ text: String) -> [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
