/// Writes documents as YAML in block style, `---` between them, deterministic, each ending in a line break.
///
/// What is written loads back equal (``Node/means(_:)``) here and in YAML 1.1 readers: a string that one of them could
/// take for something else is quoted. Text of several lines is a literal block where one can hold it. Lines are never
/// folded. A plain scalar that is a null, bool or number is written as it stands.
package func emitYAML(_ documents: [Node]) -> String {
    var emitter = Emitter()
    for (position, document) in documents.enumerated() {
        if position > 0 { emitter.write("---\n") }
        emitter.write(document, .document)
    }
    return emitter.text
}

extension Node {
    /// The node as one YAML document: see ``emitYAML(_:)``.
    package func yaml() -> String { emitYAML([self]) }
}

/// Writes nodes in block style; indentation is two columns, sequences included.
struct Emitter {
    private var output: [UInt8] = []

    /// Where a node stands: what is written before it on its line, and the column of that.
    enum Place {
        case document
        case afterKey(column: Int)
        case afterDash(column: Int)

        /// The column of what stands inside.
        var inner: Int {
            switch self {
            case .document: 0
            case .afterKey(let column), .afterDash(let column): column + 2
            }
        }
    }

    var text: String { String(decoding: output, as: UTF8.self) }

    mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { output.append(contentsOf: $0) }
    }

    private mutating func write(byte: UInt8) { output.append(byte) }

    private mutating func indent(_ column: Int) {
        for _ in 0..<column { output.append(UInt8(ascii: " ")) }
    }

    mutating func write(_ node: Node, _ place: Place) {
        if let tag = node.tag {
            separate(place)
            write(TagText.written(tag))
        }
        switch node.content {
        case .scalar(let scalar): write(scalar, tagged: node.tag != nil, place)
        case .sequence(let items) where items.isEmpty: write("[]", tagged: node.tag != nil, place)
        case .mapping(let mapping) where mapping.entries.isEmpty: write("{}", tagged: node.tag != nil, place)
        case .sequence(let items):
            var isInline = opensInline(tagged: node.tag != nil, place)
            for index in items.indices {
                if !isInline { indent(place.inner) }
                isInline = false
                write(byte: UInt8(ascii: "-"))
                write(items[index], .afterDash(column: place.inner))
            }
        case .mapping(let mapping):
            var isInline = opensInline(tagged: node.tag != nil, place)
            for index in mapping.entries.indices {
                if !isInline { indent(place.inner) }
                isInline = false
                write(key: mapping.entries[index].key, column: place.inner)
                write(mapping.entries[index].value, .afterKey(column: place.inner))
            }
        }
    }

    /// Begins a collection; whether its first line goes on the line of the dash before it.
    private mutating func opensInline(tagged: Bool, _ place: Place) -> Bool {
        switch place {
        case .afterDash where !tagged:
            write(byte: UInt8(ascii: " "))
            return true
        case .document where !tagged: break
        default: write(byte: UInt8(ascii: "\n"))
        }
        return false
    }

    private mutating func separate(_ place: Place) {
        if case .document = place { return }
        write(byte: UInt8(ascii: " "))
    }

    private mutating func write(_ text: String, tagged: Bool, _ place: Place) {
        if tagged { write(byte: UInt8(ascii: " ")) } else { separate(place) }
        write(text)
        write(byte: UInt8(ascii: "\n"))
    }

    private mutating func write(key: String, column: Int) {
        let written = ScalarText.line(key, TextTraits(key))
        // A reader looks no further than 1024 characters for the colon of a simple key.
        if written.utf8.count > 1000 {
            write("? \(written)\n")
            indent(column)
        } else {
            write(written)
        }
        write(byte: UInt8(ascii: ":"))
    }

    private mutating func write(_ scalar: Scalar, tagged: Bool, _ place: Place) {
        if let plain = ScalarText.plain(scalar) {
            write(plain, tagged: tagged, place)
            return
        }
        let traits = TextTraits(scalar.text)
        if let block = ScalarText.block(scalar.text, traits) {
            write(block, tagged: tagged, place)
        } else {
            write(ScalarText.line(scalar.text, traits), tagged: tagged, place)
        }
    }

    private mutating func write(_ block: ScalarText.Block, tagged: Bool, _ place: Place) {
        write(block.header, tagged: tagged, place)
        let column = if case .document = place { 2 } else { place.inner }
        for line in block.lines {
            if !line.isEmpty {
                indent(column)
                output.append(contentsOf: line)
            }
            write(byte: UInt8(ascii: "\n"))
        }
    }
}
