package import YAML

extension SecretGenerator {
    private static let opening = "$generate:"
    /// The longest secret: longer ones do not fit where secrets go, and more bytes add nothing.
    static let longest = 1024
    static let forms =
        "$generate:hex:<bytes>$, $generate:base64:<bytes>$, $generate:alnum:<characters>$ and $generate:uuid$"

    /// Reads the `$generate:…$` in a value.
    ///
    /// - Returns: nil if there is none in it, or if one is wrong, which the diagnostics then say.
    package static func parse(
        _ value: String, name: String, at mark: Mark, diagnostics: inout Diagnostics
    ) -> SecretGenerator? {
        var pieces: [Piece] = []
        var rest = value[...]
        var isSound = true
        while let start = find(opening, in: rest) {
            let body = rest[start.upperBound...]
            guard let end = body.firstIndex(of: "$") else {
                report("'\(opening)\(body.prefix(40))' has no '$' at its end", name, mark, &diagnostics)
                return nil
            }
            if start.lowerBound > rest.startIndex { pieces.append(.text(String(rest[..<start.lowerBound]))) }
            switch kind(body[..<end]) {
            case .success(let kind): pieces.append(.generated(kind))
            case .failure(let fault):
                report("'\(opening)\(body[...end])': \(fault.reason)", name, mark, &diagnostics)
                isSound = false
            }
            rest = body[body.index(after: end)...]
        }
        guard isSound, !pieces.isEmpty else { return nil }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        return SecretGenerator(pieces: pieces, mark: mark)
    }

    private struct Fault: Error {
        var reason: String
    }

    private static func kind(_ body: Substring) -> Result<Kind, Fault> {
        let parts = body.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        if parts[0] == "uuid" {
            return parts.count == 1 ? .success(.uuid) : .failure(Fault(reason: "uuid takes no length"))
        }
        guard ["hex", "base64", "alnum"].contains(parts[0]) else {
            return .failure(Fault(reason: "there is no kind '\(parts[0])'"))
        }
        let digits = parts.count == 2 && parts[1].utf8.allSatisfy { (48...57).contains($0) }
        guard digits, let length = Int(parts[1]), (1...longest).contains(length) else {
            return .failure(Fault(reason: "\(parts[0]) takes a length from 1 to \(longest)"))
        }
        switch parts[0] {
        case "hex": return .success(.hex(length))
        case "base64": return .success(.base64(length))
        default: return .success(.alnum(length))
        }
    }

    private static func report(_ what: String, _ name: String, _ mark: Mark, _ diagnostics: inout Diagnostics) {
        diagnostics.error("config.\(name): \(what)", at: mark, mend: "write one of \(forms)")
    }

    private static func find(_ needle: String, in text: Substring) -> Range<Substring.Index>? {
        var start = text.startIndex
        while let dollar = text[start...].firstIndex(of: "$") {
            if text[dollar...].hasPrefix(needle) { return dollar..<text.index(dollar, offsetBy: needle.count) }
            start = text.index(after: dollar)
        }
        return nil
    }
}
