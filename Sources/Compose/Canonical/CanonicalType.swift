/// How a value of the canonical model is printed. What is empty is left out, unless the type says otherwise.
indirect enum CanonicalType: Sendable {
    case text
    /// A text that is printed even if it is empty.
    case entry
    /// Anything, in the files' own form.
    case verbatim
    case integer
    /// An integer that is printed even if it is 0.
    case keptInteger
    case number
    case flag
    /// A truth value that is printed even if it is false.
    case keptFlag
    case bytes
    case duration
    /// A duration that is printed even if it is 0.
    case keptDuration
    /// Permission bits as octal text.
    case mode
    /// Permission bits as a number.
    case permissions
    /// One limit, or a soft and a hard one.
    case ulimit
    /// A number of devices; all of them is -1.
    case deviceCount
    /// A list of words, or a text that is split into them; kept if it is empty, since that clears the image's; JSON says
    /// null where there is none.
    case command
    /// A health check's test; a text is one for the shell.
    case test
    /// SSH agents: `name` or `name=path`.
    case agents
    /// `name=address`, sorted.
    case hosts
    case list(CanonicalType)
    /// A mapping with free keys, which are sorted.
    case map(CanonicalType)
    /// A value that is printed as null where it is null.
    case nullable(CanonicalType)
    /// A mapping with known keys, printed in this order.
    case fields([(String, CanonicalType)], ifEmpty: Emptiness)

    /// What becomes of a mapping without a value.
    enum Emptiness: Sendable {
        case omitted
        case kept
        /// JSON always has it, YAML never.
        case keptInJSON
    }

    /// A mapping that is printed if it is there.
    static func object(_ fields: [(String, CanonicalType)]) -> CanonicalType { .fields(fields, ifEmpty: .kept) }

    static let texts: CanonicalType = .list(.entry)
    static let textMap: CanonicalType = .map(.entry)
    static let variables: CanonicalType = .map(.nullable(.entry))
}
