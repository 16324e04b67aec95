import CLibYAML

/// libyaml's event parser over bytes that outlive it. Not recursive, whatever the document nests.
struct EventParser: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let bytes: UnsafeBufferPointer<UInt8>

    /// Nil where libyaml has no memory left. The bytes are not empty and must outlive the parser.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            return nil
        }
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
        self.parser = parser
        self.bytes = bytes
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    /// The next event; after an error or the end of the stream it must not be called again.
    mutating func next() throws(SyntaxProblem) -> ParserEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw SyntaxProblem(parser.pointee, bytes: bytes) }
        defer { yaml_event_delete(&event) }
        return ParserEvent(event)
    }
}

extension ParserEvent {
    fileprivate init(_ event: yaml_event_t) {
        kind = .streamStart
        line = event.start_mark.line + 1
        column = event.start_mark.column + 1
        switch event.type {
        case YAML_SCALAR_EVENT: takeScalar(event.data.scalar)
        case YAML_ALIAS_EVENT:
            kind = .alias
            anchor = event.data.alias.anchor.map { String(cString: $0) }
        case YAML_SEQUENCE_START_EVENT:
            kind = .sequenceStart
            anchor = event.data.sequence_start.anchor.map { String(cString: $0) }
            tag = event.data.sequence_start.tag.map { String(cString: $0) }
        case YAML_MAPPING_START_EVENT:
            kind = .mappingStart
            anchor = event.data.mapping_start.anchor.map { String(cString: $0) }
            tag = event.data.mapping_start.tag.map { String(cString: $0) }
        case YAML_SEQUENCE_END_EVENT: kind = .sequenceEnd
        case YAML_MAPPING_END_EVENT: kind = .mappingEnd
        case YAML_DOCUMENT_START_EVENT: kind = .documentStart
        case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
        case YAML_STREAM_END_EVENT: kind = .streamEnd
        default: break
        }
    }

    private mutating func takeScalar(_ scalar: yaml_event_s.__Unnamed_union_data.__Unnamed_struct_scalar) {
        kind = .scalar
        text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
        isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
        anchor = scalar.anchor.map { String(cString: $0) }
        tag = scalar.tag.map { String(cString: $0) }
    }
}
