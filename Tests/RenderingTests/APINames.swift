import YAML

/// The API's rules for names and quantities, written again and not by the renderer's own functions.
enum APINames {
    static let largest = Int(Int32.max)

    static func isLabel(_ text: String) -> Bool {
        text.utf8.count <= 63 && text.wholeMatch(of: /[a-z0-9]([-a-z0-9]*[a-z0-9])?/) != nil
    }

    static func isSubdomain(_ text: String) -> Bool {
        text.utf8.count <= 253
            && text.wholeMatch(of: /[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/) != nil
    }

    static func isLabelValue(_ text: String) -> Bool {
        text.utf8.count <= 63 && text.wholeMatch(of: /(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?/) != nil
    }

    static func isQualified(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let name = parts.last, parts.count <= 2, !name.isEmpty else { return false }
        return isLabelValue(name) && (parts.count == 1 || isSubdomain(parts[0]))
    }

    static func isDataKey(_ text: String) -> Bool {
        text.utf8.count <= 253 && text.wholeMatch(of: /[-._a-zA-Z0-9]+/) != nil && text != "." && !text.hasPrefix("..")
    }

    static func isVariable(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (32...126).contains($0) && $0 != 61 }
    }

    static func isPortName(_ text: String) -> Bool {
        text.utf8.count <= 15 && text.wholeMatch(of: /[a-z0-9]([a-z0-9-]*[a-z0-9])?/) != nil && !text.contains("--")
            && text.contains { $0.isLetter }
    }

    static func isSysctl(_ text: String) -> Bool {
        text.utf8.count <= 253
            && text.wholeMatch(of: /([a-z0-9]([-_a-z0-9]*[a-z0-9])?[.\/])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?/) != nil
    }

    /// The value of a quantity.
    static func quantity(_ text: String) -> Double? {
        guard let match = text.wholeMatch(of: /([0-9]+(?:\.[0-9]*)?)(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?/) else {
            return nil
        }
        let units: [String: Double] = [
            "m": 1e-3, "": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18, "Ki": 0x1p10, "Mi": 0x1p20,
            "Gi": 0x1p30, "Ti": 0x1p40, "Pi": 0x1p50, "Ei": 0x1p60,
        ]
        return Double(match.1).flatMap { value in units[String(match.2 ?? "")].map { value * $0 } }
    }
}

extension Node {
    subscript(key: String) -> Node? { mapping?[key] }
}
