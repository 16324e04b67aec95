/// `${NAME}` or `${NAME<operator>argument}`, taken apart.
struct BracedExpression {
    struct Operation: Hashable {
        enum Kind: Hashable {
            /// `-`
            case fallback
            /// `?`
            case required
            /// `+`
            case replacement
        }

        var kind: Kind
        /// Whether a `:` stands before the operator: an empty value counts as none.
        var needsContent: Bool
    }

    let name: String
    let operation: Operation?
    /// What stands between the operator and the closing brace; not yet substituted.
    let argument: ArraySlice<UInt8>
    /// The place after the closing brace.
    let end: Int

    /// Reads the expression whose `$` stands at an index. The first operator after the name is the expression's own; braces
    /// inside the argument must be in pairs.
    init(_ text: ArraySlice<UInt8>, at start: Int) throws(SubstitutionError) {
        guard let close = Self.closingBrace(text, from: start + 1) else { throw Self.invalid(text[start...]) }
        let whole = text[start...close]
        let body = text[(start + 2)..<close]
        let nameEnd = body.firstIndex { !isNamePart($0) } ?? body.endIndex
        guard let first = body.first, isNameStart(first) else { throw Self.invalid(whole) }
        name = String(decoding: body[..<nameEnd], as: UTF8.self)
        end = close + 1
        var rest = body[nameEnd...]
        if rest.isEmpty {
            operation = nil
            argument = rest
            return
        }
        let needsContent = rest.first == UInt8(ascii: ":")
        if needsContent { rest = rest.dropFirst() }
        guard let kind = rest.first.flatMap(Self.kind) else { throw Self.invalid(whole) }
        operation = Operation(kind: kind, needsContent: needsContent)
        argument = rest.dropFirst()
    }

    private static func kind(_ byte: UInt8) -> Operation.Kind? {
        switch byte {
        case UInt8(ascii: "-"): .fallback
        case UInt8(ascii: "?"): .required
        case UInt8(ascii: "+"): .replacement
        default: nil
        }
    }

    private static func closingBrace(_ text: ArraySlice<UInt8>, from open: Int) -> Int? {
        var depth = 0
        for index in open..<text.endIndex {
            switch text[index] {
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"):
                depth -= 1
                if depth == 0 { return index }
            default: break
            }
        }
        return nil
    }

    private static func invalid(_ part: ArraySlice<UInt8>) -> SubstitutionError {
        .invalidTemplate(TemplateText(String(decoding: part, as: UTF8.self)).masked)
    }
}
