package import Compose
package import OrderedCollections
package import YAML

/// A value of `config` that `$generate:<type>:<length>$` stands in, perhaps inside other text.
///
/// Only the generated part is a secret of its own, so that the text around it can change without a rotation.
package struct GeneratedValue: Hashable, Sendable {
    /// The text with a secret for each `$generate:…$`. The first is named as the variable, further ones `<variable>_2` and so on.
    package var text: TemplateText
    package var generators: OrderedDictionary<String, SecretGenerator>

    /// The longest secret: longer ones do not fit where secrets go, and more bytes add nothing.
    package static let longest = 1024
    private static let opening = "$generate:"
    private static let forms =
        "$generate:hex:<bytes>$, $generate:base64:<bytes>$, $generate:alnum:<characters>$ and $generate:uuid$"

    /// Reads the `$generate:…$` in the value of a variable.
    ///
    /// - Returns: nil if there is none in it, or if one is wrong, which the diagnostics then say.
    package static func parse(
        _ value: String, variable: String, at mark: Mark, diagnostics: inout Diagnostics
    ) -> GeneratedValue? {
        var pieces: [TemplateText.Piece] = []
        var generators: OrderedDictionary<String, SecretGenerator> = [:]
        var rest = value[...]
        var faults: [String] = []
        while let start = find(opening, in: rest) {
            pieces.append(.text(String(rest[..<start.lowerBound])))
            let body = rest[start.upperBound...]
            guard let end = body.firstIndex(of: "$") else {
                faults.append("'\(opening)\(body.prefix(40))' has no '$' at its end")
                break
            }
            switch kind(body[..<end]) {
            case .success(let kind):
                let name = generators.isEmpty ? variable : "\(variable)_\(generators.count + 1)"
                generators[name] = SecretGenerator(kind, at: mark)
                pieces.append(.secret(name))
            case .failure(let fault): faults.append("'\(opening)\(body[...end])': \(fault.reason)")
            }
            rest = body[body.index(after: end)...]
        }
        for fault in faults {
            diagnostics.error("config.\(variable): \(fault)", at: mark, hint: "write one of \(forms)")
        }
        guard faults.isEmpty, !generators.isEmpty else { return nil }
        pieces.append(.text(String(rest)))
        return GeneratedValue(text: TemplateText(pieces: pieces), generators: generators)
    }

    private struct Fault: Error {
        var reason: String
    }

    private static func kind(_ body: Substring) -> Result<SecretGenerator.Kind, Fault> {
        let parts = body.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        if parts[0] == "uuid" {
            return parts.count == 1 ? .success(.uuid) : .failure(Fault(reason: "uuid takes no length"))
        }
        guard ["hex", "base64", "alnum"].contains(parts[0]) else {
            return .failure(Fault(reason: "no type '\(parts[0])'"))
        }
        let isNumber = parts.count == 2 && parts[1].utf8.allSatisfy { (48...57).contains($0) }
        guard isNumber, let length = Int(parts[1]), (1...longest).contains(length) else {
            return .failure(Fault(reason: "\(parts[0]) takes a length from 1 to \(longest)"))
        }
        return switch parts[0] {
        case "hex": .success(.hex(length))
        case "base64": .success(.base64(length))
        default: .success(.alnum(length))
        }
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
