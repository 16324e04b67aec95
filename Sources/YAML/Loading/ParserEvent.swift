/// One step of a document as libyaml reports it.
struct ParserEvent {
    enum Kind {
        case streamStart
        case streamEnd
        case documentStart
        case documentEnd
        case alias
        case scalar
        case sequenceStart
        case sequenceEnd
        case mappingStart
        case mappingEnd
    }

    var kind: Kind
    /// The line and column, from one.
    var line: Int
    var column: Int
    /// A scalar's text, else empty.
    var text = ""
    var isPlain = false
    /// The anchor that the node declares, or the one that an alias names.
    var anchor: String?
    var tag: String?
}
