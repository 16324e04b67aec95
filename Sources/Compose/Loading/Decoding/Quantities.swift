/// Sizes as docker writes them: https://github.com/compose-spec/compose-spec/blob/main/11-extension.md#specifying-byte-values.
package enum ByteSize {
    /// `64m`, `1.5g`, `2kb`, `512`, `5Gi` or `1 GiB`: every unit is a power of 1024, whatever its case. Negative and
    /// malformed sizes are nil, and so is what exceeds Int64, and a part of a byte.
    package static func parse(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        var unit = text.dropFirst(digits.count)
        if unit.first == " " { unit = unit.dropFirst() }
        guard let factor = factor(unit.lowercased()), let number = Double(digits) else { return nil }
        guard factor > 1 || number == number.rounded() else { return nil }
        return Int64(exactly: (number * factor).rounded(.towardZero))
    }

    private static func factor(_ unit: String) -> Double? {
        switch unit {
        case "", "b": 1
        case "k", "kb", "ki", "kib": 0x1p10
        case "m", "mb", "mi", "mib": 0x1p20
        case "g", "gb", "gi", "gib": 0x1p30
        case "t", "tb", "ti", "tib": 0x1p40
        case "p", "pb", "pi", "pib": 0x1p50
        default: nil
        }
    }
}

/// Durations: https://github.com/compose-spec/compose-spec/blob/main/11-extension.md#specifying-durations.
package enum ComposeDuration {
    /// Numbers with a unit of `ns us µs ms s m h d w`, one after the other, such as `1h30m` or `1.5s`; `0` needs no unit.
    package static func parse(_ text: String) -> Duration? {
        var rest = text[...]
        let isNegative = rest.first == "-"
        if isNegative || rest.first == "+" { rest = rest.dropFirst() }
        if rest == "0" { return .zero }
        guard !rest.isEmpty else { return nil }
        var total: Double = 0
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            rest = rest.dropFirst(digits.count)
            let unit = rest.prefix { !$0.isNumber && $0 != "." }
            rest = rest.dropFirst(unit.count)
            guard let number = Double(digits), let factor = nanoseconds[String(unit)] else { return nil }
            total += number * factor
        }
        guard let value = Int64(exactly: total.rounded()) else { return nil }
        return .nanoseconds(isNegative ? -value : value)
    }

    private static let nanoseconds: [String: Double] = [
        "ns": 1, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9, "d": 86_400e9,
        "w": 604_800e9,
    ]
}

extension Duration {
    /// The whole seconds, a part of one counting as one.
    package var roundedUpSeconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: seconds) + (attoseconds > 0 ? 1 : 0)
    }
}
