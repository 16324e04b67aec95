/// Kubernetes quantities: `500m`, `1.5`, `64Mi`, `2G`, `1e9`.
enum QuantityText {
    private static let units: [String: Double] = [
        "n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
        "Ki": 1024, "Mi": 1_048_576, "Gi": 1_073_741_824, "Ti": 1_099_511_627_776,
        "Pi": 1_125_899_906_842_624, "Ei": 1_152_921_504_606_846_976,
    ]

    /// The value in base units: cores or bytes. Nil for what is not a quantity.
    static func value(_ text: String) -> Double? {
        if let number = Double(text), number.isFinite, number >= 0 { return number }
        let number = text.prefix { $0.isNumber || $0 == "." }
        guard let value = Double(number), let unit = units[String(text.dropFirst(number.count))] else { return nil }
        return value * unit
    }

    /// The value in whole bytes.
    static func bytes(_ text: String) -> Int? {
        guard let value = value(text), value < Double(Int.max) else { return nil }
        return Int(value.rounded(.up))
    }
}
