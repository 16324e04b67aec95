/// An amount of CPUs or bytes with its unit: `5Gi` is 5·2³⁰, `5G` 5·10⁹, `500m` a half.
///
/// Rule: Kubernetes' resource.Quantity, <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/>, and
/// docker's suffixes, which are `k` in lower case, and `b` behind a unit (`512mb`, `2GB`).
package struct Quantity: Hashable, Sendable, CustomStringConvertible {
    /// In thousandths of a CPU or byte, rounded up.
    package var thousandths: Int64
    /// As Kubernetes writes it.
    package var text: String

    /// The amount in whole CPUs or bytes, rounded up.
    package var wholes: Int64 { thousandths / 1000 + (thousandths % 1000 > 0 ? 1 : 0) }

    package var description: String { text }

    /// CPUs: `2`, `0.5`, `500m`.
    package init?(cpus text: String) {
        guard let amount = Amount(text), ["", "m"].contains(amount.unit) else { return nil }
        guard let thousandths = amount.times(amount.unit == "m" ? 1 : 1000), thousandths > 0 else { return nil }
        self.thousandths = thousandths
        self.text = text
    }

    /// Bytes: `1048576`, `512M`, `512mb`, `5Gi`, `5GiB`, `1e9`.
    ///
    /// stack-orchestrator took `m` for `M` (no amount of memory is in thousandths of a byte), so this does too.
    package init?(bytes text: String) {
        guard let amount = Amount(text), let unit = Self.unit(amount.unit) else { return nil }
        guard let bytes = amount.times(unit.bytes), bytes > 0 else { return nil }
        let (thousandths, overflow) = bytes.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return nil }
        self.thousandths = thousandths
        self.text = amount.isExact(in: unit.bytes) ? amount.number + unit.text : String(bytes)
    }

    private static func unit(_ suffix: String) -> (bytes: Int64, text: String)? {
        var letters = suffix.lowercased()
        if letters.hasSuffix("b") { letters.removeLast() }
        if letters.isEmpty { return (1, "") }
        let isBinary = letters.hasSuffix("i")
        if isBinary { letters.removeLast() }
        guard let power = ["k": 1, "m": 2, "g": 3, "t": 4, "p": 5, "e": 6][letters] else { return nil }
        let prefix = letters == "k" && !isBinary ? "k" : letters.uppercased()
        let base: Int64 = isBinary ? 1024 : 1000
        return ((0..<power).reduce(1) { product, _ in product * base }, prefix + (isBinary ? "i" : ""))
    }
}

/// A decimal number with a unit behind it, exact.
private struct Amount {
    var number: String
    var unit: String
    private var digits: Int64
    private var decimals: Int

    init?(_ text: String) {
        let isDigit: (Character) -> Bool = { $0.isASCII && $0.isNumber }
        let numeral = text.prefix { isDigit($0) || $0 == "." }
        let parts = numeral.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), numeral.contains(where: isDigit), numeral.count <= 18 else { return nil }
        var fraction = parts.count == 2 ? String(parts[1]) : ""
        while fraction.hasSuffix("0") { fraction.removeLast() }
        guard let digits = Int64(parts[0] + fraction) ?? (fraction.isEmpty ? nil : 0) else { return nil }
        self.digits = digits
        decimals = fraction.count
        unit = String(text.dropFirst(numeral.count).drop { $0 == " " })
        number = fraction.isEmpty ? String(parts[0]) : "\(parts[0].isEmpty ? "0" : parts[0]).\(fraction)"
        readExponent()
    }

    /// `1e9` is the number 1000000000 without a unit.
    private mutating func readExponent() {
        guard unit.count > 1, unit.lowercased().hasPrefix("e"), let power = Int(unit.dropFirst()),
            (0...18).contains(power)
        else { return }
        for _ in 0..<power {
            if decimals > 0 {
                decimals -= 1
            } else {
                let (product, overflow) = digits.multipliedReportingOverflow(by: 10)
                if overflow { return }
                digits = product
            }
        }
        unit = ""
        if decimals == 0 { number = String(digits) }
    }

    private var divisor: Int64 { (0..<decimals).reduce(1) { product, _ in product * 10 } }

    /// The product, rounded up; nil if it is too large.
    func times(_ factor: Int64) -> Int64? {
        let (product, overflow) = digits.multipliedReportingOverflow(by: factor)
        guard !overflow else { return nil }
        return product / divisor + (product % divisor > 0 ? 1 : 0)
    }

    func isExact(in factor: Int64) -> Bool {
        let (product, overflow) = digits.multipliedReportingOverflow(by: factor)
        return !overflow && product % divisor == 0
    }
}
