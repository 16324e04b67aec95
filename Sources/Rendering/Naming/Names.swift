import SystemCrypto

/// Names as Kubernetes takes them.
///
/// Rules: RFC 1123 labels (objects, containers) and RFC 1035 labels (Services),
/// <https://kubernetes.io/docs/concepts/overview/working-with-objects/names/>.
package enum Names {
    static let longestLabel = 63

    /// The name made a DNS label: lower-case, everything else a `-`, at most 63 long. A name that is too long is cut and
    /// ends in a digest of the whole, so that two long names stay different. Empty if nothing of the name remains.
    package static func label(_ name: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8.count)
        for byte in name.utf8 {
            let lower = byte >= 65 && byte <= 90 ? byte + 32 : byte
            if isAlphanumeric(lower) {
                bytes.append(lower)
            } else if byte < 0x80 || bytes.last != hyphen {
                bytes.append(hyphen)
            }
        }
        let trimmed = trimmingHyphens(bytes[...])
        guard trimmed.count > longestLabel else { return String(decoding: trimmed, as: UTF8.self) }
        let head = trimmingHyphens(trimmed.prefix(longestLabel - 9))
        return String(decoding: head, as: UTF8.self) + "-" + sha256Hex(name).prefix(8)
    }

    /// Whether a Service may have the name: a label that begins with a letter.
    static func isServiceName(_ name: String) -> Bool {
        guard isLabel(name), let first = name.utf8.first else { return false }
        return first >= 97
    }

    /// Whether an object, a RuntimeClass or a host of a hosts file may have the name: labels with dots between, at most 253 long.
    static func isSubdomain(_ name: String) -> Bool {
        name.utf8.count <= 253
            && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { isLabel(String($0)) }
    }

    static func isLabel(_ name: String) -> Bool {
        let bytes = name.utf8
        guard !bytes.isEmpty, bytes.count <= longestLabel, bytes.first != hyphen, bytes.last != hyphen else {
            return false
        }
        return bytes.allSatisfy { isAlphanumeric($0) || $0 == hyphen }
    }

    /// The text made a label's value: at most 63 of letters, digits, `-`, `_` and `.`, an alphanumeric at both ends.
    static func labelValue(_ text: String) -> String {
        if isLabelValue(text) { return text }
        let bytes = text.utf8.map { isLabelByte($0) ? $0 : hyphen }.prefix(longestLabel)
        let isEnd: (UInt8) -> Bool = { isLetterOrDigit($0) }
        guard let first = bytes.firstIndex(where: isEnd), let last = bytes.lastIndex(where: isEnd) else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    static func isLabelValue(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, let last = bytes.last else { return true }
        return bytes.count <= longestLabel && isLetterOrDigit(first) && isLetterOrDigit(last)
            && bytes.allSatisfy(isLabelByte)
    }

    /// Whether a label or annotation may have the key: `[prefix/]name`.
    static func isQualifiedName(_ key: String) -> Bool {
        let parts = key.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, parts.count <= 2, !name.isEmpty, isLabelValue(String(name)) else { return false }
        guard parts.count == 2 else { return true }
        return parts[0].utf8.count <= 253
            && parts[0].split(separator: ".", omittingEmptySubsequences: false).allSatisfy { isLabel(String($0)) }
    }

    /// A key of a ConfigMap or Secret: letters, digits, `-`, `_` and `.`.
    static func dataKey(_ text: String) -> String {
        let key = String(
            decoding: text.utf8.prefix(253).map { isLabelByte($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        return key == "." || key == ".." || key.hasPrefix("..") ? "_" + key : key
    }

    static func isDataKey(_ text: String) -> Bool { !text.isEmpty && dataKey(text) == text }

    private static let hyphen = UInt8(ascii: "-")

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (byte >= 97 && byte <= 122) || (byte >= 48 && byte <= 57)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || (byte >= 65 && byte <= 90)
    }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == hyphen || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
    }

    private static func trimmingHyphens(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = bytes.firstIndex(where: { $0 != hyphen }), let last = bytes.lastIndex(where: { $0 != hyphen })
        else { return [] }
        return bytes[first...last]
    }
}
