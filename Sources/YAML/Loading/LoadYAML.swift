/// Loads every document of a YAML stream.
///
/// Scalars follow the YAML 1.2 core schema, save that a number with leading zeros (`0755`) is a string. Anchors, aliases
/// and merge keys are resolved; local tags such as `!reset` are kept.
/// - Parameter file: the input's name in every ``Mark``.
/// - Returns: one node per document; none for an input that is empty or holds only comments.
/// - Throws: every duplicate key, unusable key and merge at once, or the first syntax error or limit that is exceeded.
package func loadYAML(
    _ bytes: [UInt8], file: String, limits: YAMLLimits = .standard
) throws(InvalidInput) -> [Node] {
    guard bytes.count <= limits.bytes else {
        throw InvalidInput([
            Diagnostic(
                .error, at: Mark(file: file), "the document has \(bytes.count) bytes; at most \(limits.bytes) are read")
        ])
    }
    guard !bytes.isEmpty else { return [] }
    return try bytes.withUnsafeBufferPointer { buffer throws(InvalidInput) in
        guard let events = EventParser(buffer) else {
            throw InvalidInput([Diagnostic(.error, at: Mark(file: file), "there is not enough memory to read it")])
        }
        var composer = NodeComposer(events: events, file: file, limits: limits)
        return try composer.documents()
    }
}

/// Loads an input that is one YAML document.
/// - Returns: the document; a null scalar for an empty input.
/// - Throws: as ``loadYAML(_:file:limits:)``, and where a second document follows.
package func loadYAMLDocument(
    _ bytes: [UInt8], file: String, limits: YAMLLimits = .standard
) throws(InvalidInput) -> Node {
    let documents = try loadYAML(bytes, file: file, limits: limits)
    guard documents.count <= 1 else {
        throw InvalidInput([
            Diagnostic(
                .error, at: documents[1].mark, "a second document begins; the file must hold one",
                hint: "remove the `---` before it, or move it to a file of its own")
        ])
    }
    return documents.first ?? .plain("", mark: Mark(file: file, line: 1, column: 1))
}
