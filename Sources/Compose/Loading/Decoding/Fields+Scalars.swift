import YAML

extension Fields {
    /// A string; a number or truth value must be quoted.
    mutating func string(_ key: String) -> String? {
        guard let node = node(key) else { return nil }
        return string(node, key)
    }

    func string(_ node: Node, _ key: String) -> String? {
        guard case .string(let text)? = node.value else {
            wrongKind(key, node, "a text", hint: node.scalar == nil ? nil : "put it in quotes")
            return nil
        }
        return plain(text, key, at: node.mark)
    }

    /// The text of a scalar of any type: numbers as they are written.
    mutating func text(_ key: String) -> String? {
        guard let node = node(key) else { return nil }
        return text(node, key)
    }

    func text(_ node: Node, _ key: String) -> String? {
        guard let text = scalarText(node) else {
            wrongKind(key, node, "a text or a number")
            return nil
        }
        return plain(text, key, at: node.mark)
    }

    /// The text, unless a secret stands in it.
    private func plain(_ text: String, _ key: String, at mark: Mark) -> String? {
        state.refusesSecret(text, in: "`\(path).\(key)`", at: mark) ? nil : text
    }

    /// One of a few words.
    mutating func choice(_ key: String, of allowed: [String]) -> String? {
        guard let node = node(key), let text = string(node, key) else { return nil }
        guard allowed.contains(text) else {
            let words = allowed.joined(separator: ", ")
            state.error("`\(path).\(key)`: `\(text)` is not one of \(words)", at: node.mark, hint: hint(text, allowed))
            return nil
        }
        return text
    }

    func hint(_ text: String, _ allowed: [String]) -> String {
        nearest(text, in: allowed).map { "did you mean `\($0)`?" } ?? "write one of them"
    }

    /// A case of an enumeration by its word.
    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String, _ type: Choice.Type
    ) -> Choice? where Choice.RawValue == String {
        choice(key, of: type.allCases.map(\.rawValue)).flatMap { Choice(rawValue: $0) }
    }

    mutating func bool(_ key: String) -> Bool? {
        guard let node = node(key) else { return nil }
        if let value = node.boolValue { return value }
        guard case .string(let word)? = node.value else {
            wrongKind(key, node, "true or false")
            return nil
        }
        guard let text = plain(word, key, at: node.mark) else { return nil }
        switch text.lowercased() {
        case "true": return true
        case "false": return false
        case "y", "yes", "on": return oldWord(text, true, key, at: node.mark)
        case "n", "no", "off": return oldWord(text, false, key, at: node.mark)
        default:
            state.error(
                "`\(path).\(key)`: `\(text)` is neither true nor false", at: node.mark, hint: "write true or false")
            return nil
        }
    }

    private func oldWord(_ word: String, _ value: Bool, _ key: String, at mark: Mark) -> Bool {
        state.warning("`\(path).\(key)`: `\(word)` is not a truth value of YAML 1.2", at: mark, hint: "write \(value)")
        return value
    }

    /// An integer, quoted or not.
    mutating func integer(_ key: String, in range: ClosedRange<Int64> = Int64.min...Int64.max) -> Int64? {
        guard let node = node(key) else { return nil }
        return integer(node, key, in: range)
    }

    func integer(_ node: Node, _ key: String, in range: ClosedRange<Int64> = Int64.min...Int64.max) -> Int64? {
        guard let text = text(node, key) else { return nil }
        guard let value = node.intValue.map(Int64.init) ?? Int64(text) ?? wholeNumber(text) else {
            state.error("`\(path).\(key)`: invalid whole number `\(text)`", at: node.mark, hint: "write digits only")
            return nil
        }
        guard range.contains(value) else {
            let limits =
                range.upperBound == .max ? "at least \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
            state.error("`\(path).\(key)`: \(value) is out of range", at: node.mark, hint: "write \(limits)")
            return nil
        }
        return value
    }

    /// `3.0` and `1e3` are whole.
    private func wholeNumber(_ text: String) -> Int64? { Double(text).flatMap { Int64(exactly: $0) } }

    /// A whole number that is not negative.
    mutating func count(_ key: String) -> Int? { integer(key, in: 0...Int64.max).flatMap { Int(exactly: $0) } }

    /// A number that is not negative.
    mutating func number(_ key: String) -> Double? {
        guard let node = node(key), let text = text(node, key) else { return nil }
        guard let value = Double(text), value.isFinite, value >= 0 else {
            state.error(
                "`\(path).\(key)`: invalid number `\(text)`", at: node.mark, hint: "write a number, such as 0.5")
            return nil
        }
        return value
    }

    /// A size in bytes; -1, where it is allowed, stands for no limit.
    mutating func bytes(_ key: String, allowsUnlimited: Bool = false) -> Int64? {
        guard let node = node(key), let text = text(node, key) else { return nil }
        if allowsUnlimited, text == "-1" { return -1 }
        guard let value = ByteSize.parse(text) else {
            state.error(
                "`\(path).\(key)`: invalid size `\(text)`", at: node.mark,
                hint: "write a number with b, k, m or g, such as 512m")
            return nil
        }
        return value
    }

    /// A duration such as `1m30s`.
    mutating func duration(_ key: String) -> Duration? {
        guard let node = node(key), let text = text(node, key) else { return nil }
        guard let value = ComposeDuration.parse(text), value >= .zero else {
            state.error(
                "`\(path).\(key)`: invalid duration `\(text)`", at: node.mark,
                hint: "write a number with a unit, such as 30s or 1m30s")
            return nil
        }
        return value
    }
}

/// The text of a scalar: truth values in lower case, numbers as they are written; nil for null and for collections.
func scalarText(_ node: Node) -> String? {
    guard let scalar = node.scalar else { return nil }
    switch scalar.value {
    case .null: return nil
    case .bool(let value): return value ? "true" : "false"
    default: return scalar.text
    }
}
