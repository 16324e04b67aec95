/// Builds nodes from events: resolves aliases and merge keys, finds duplicate keys, and keeps to the limits.
///
/// It recurses no deeper than the depth limit.
struct NodeComposer: ~Copyable {
    private var events: EventParser
    private let file: String
    private let limits: YAMLLimits
    private var diagnostics = Diagnostics()
    private var anchors: [String: Anchor] = [:]
    /// How many problems are reported at once.
    private static let problems = 100
    /// What the input holds so far, aliases expanded.
    private var size = Size()
    /// The depth that the values since the innermost open anchor have reached.
    private var deepest = 0

    private struct Size {
        var nodes = 0
        var bytes = 0
    }

    /// An anchored node, what it weighs, and how many levels of collections it has; no node while it is still open.
    private struct Anchor {
        var node: Node?
        var size = Size()
        var height = 0
    }

    init(events: consuming EventParser, file: String, limits: YAMLLimits) {
        self.events = events
        self.file = file
        self.limits = limits
    }

    /// Every document of the stream.
    mutating func documents() throws(InvalidInput) -> [Node] {
        var documents: [Node] = []
        while true {
            let event = try next()
            switch event.kind {
            case .streamEnd:
                try diagnostics.throwIfErrors()
                return documents
            case .documentStart: anchors = [:]
            case .streamStart, .documentEnd: break
            default: documents.append(try node(event, depth: 1))
            }
        }
    }

    private mutating func next() throws(InvalidInput) -> Event {
        do {
            return try events.next()
        } catch {
            let mark = Mark(file: file, line: error.line, column: error.column)
            throw refusal(error.what, at: mark, mend: error.mend)
        }
    }

    /// Ends the load, with the problems found before.
    private func refusal(_ what: String, at mark: Mark, mend: String? = nil) -> InvalidInput {
        InvalidInput(diagnostics.list + [Diagnostic(.error, at: mark, what, mend: mend)])
    }

    private func mark(_ event: Event) -> Mark { Mark(file: file, line: event.line, column: event.column) }

    private mutating func node(_ event: Event, depth: Int) throws(InvalidInput) -> Node {
        if event.kind == .alias { return try expand(event, depth: depth) }
        try reach(depth, event)
        guard let anchor = event.anchor else { return try content(event, depth: depth) }
        let (sizeBefore, deepestBefore) = (size, deepest)
        deepest = depth
        anchors[anchor] = Anchor()
        let node = try content(event, depth: depth)
        anchors[anchor] = Anchor(
            node: node,
            size: Size(nodes: size.nodes - sizeBefore.nodes, bytes: size.bytes - sizeBefore.bytes),
            height: deepest - depth)
        deepest = max(deepest, deepestBefore)
        return node
    }

    private mutating func content(_ event: Event, depth: Int) throws(InvalidInput) -> Node {
        try weigh(Size(nodes: 1, bytes: event.text.utf8.count), event)
        switch event.kind {
        case .sequenceStart: return try sequence(event, depth: depth)
        case .mappingStart: return try mapping(event, depth: depth)
        default: return scalar(event)
        }
    }

    // MARK: Limits

    private mutating func reach(_ depth: Int, _ event: Event) throws(InvalidInput) {
        guard depth <= limits.depth else {
            throw refusal("the document nests deeper than \(limits.depth) levels", at: mark(event))
        }
        deepest = max(deepest, depth)
    }

    private mutating func weigh(_ more: Size, _ event: Event) throws(InvalidInput) {
        size.nodes += more.nodes
        size.bytes += more.bytes
        guard size.nodes <= limits.nodes else {
            throw refusal("the document holds more than \(limits.nodes) values, aliases expanded", at: mark(event))
        }
        guard size.bytes <= limits.expandedBytes else {
            throw refusal(
                "the document holds more than \(limits.expandedBytes) bytes of text, aliases expanded", at: mark(event))
        }
    }

    private mutating func expand(_ event: Event, depth: Int) throws(InvalidInput) -> Node {
        let name = event.anchor ?? ""
        guard let anchor = anchors[name] else {
            let known = nearest(name, in: anchors.keys.sorted().prefix(1000))
            throw refusal(
                "the alias `*\(name)` has no anchor before it", at: mark(event),
                mend: known.map { "did you mean `*\($0)`?" } ?? "put `&\(name)` before the value it stands for")
        }
        guard let node = anchor.node else {
            throw refusal("the alias `*\(name)` stands inside the value that it names", at: mark(event))
        }
        try reach(depth + anchor.height, event)
        try weigh(anchor.size, event)
        return node
    }

    // MARK: Content

    private mutating func scalar(_ event: Event) -> Node {
        var scalar = Scalar(text: event.text, isPlain: event.isPlain)
        guard let tag = event.tag else { return Node(.scalar(scalar), mark: mark(event)) }
        guard let core = CoreTag(tag) else { return Node(.scalar(scalar), tag: tag, mark: mark(event)) }
        scalar.isPlain = core.isPlain
        if !core.accepts(scalar) {
            diagnostics.error("`\(scalar.text)` is not what its tag `\(core)` says", at: mark(event), mend: core.mend)
        }
        return Node(.scalar(scalar), mark: mark(event))
    }

    private mutating func localTag(_ event: Event, core expected: String) -> String? {
        guard let tag = event.tag, let core = CoreTag(tag) else { return event.tag }
        if core.name != expected {
            diagnostics.error("the value is not what its tag `\(core)` says", at: mark(event), mend: core.mend)
        }
        return nil
    }

    private mutating func sequence(_ start: Event, depth: Int) throws(InvalidInput) -> Node {
        let tag = localTag(start, core: "seq")
        var items: [Node] = []
        while true {
            let event = try next()
            if event.kind == .sequenceEnd { return Node(.sequence(items), tag: tag, mark: mark(start)) }
            items.append(try node(event, depth: depth + 1))
        }
    }

    private mutating func mapping(_ start: Event, depth: Int) throws(InvalidInput) -> Node {
        let tag = localTag(start, core: "map")
        var builder = MappingBuilder()
        while true {
            let event = try next()
            if event.kind == .mappingEnd { break }
            let key = try key(event, depth: depth + 1)
            let value = try node(try next(), depth: depth + 1)
            if let key { builder.append(key, keyMark: mark(event), value: value, diagnostics: &diagnostics) }
            if diagnostics.list.count >= Self.problems {
                throw refusal("more than \(Self.problems) problems; the rest is not read", at: mark(event))
            }
        }
        return Node(.mapping(builder.mapping()), tag: tag, mark: mark(start))
    }

    /// The key's text, or nil after recording why there is none.
    private mutating func key(_ event: Event, depth: Int) throws(InvalidInput) -> MappingBuilder.Key? {
        let isMerge = event.kind == .scalar && event.isPlain && event.text == "<<"
        let node = try node(event, depth: depth)
        guard let scalar = node.scalar else {
            diagnostics.error(
                "a key must be a scalar", at: mark(event),
                mend: "put the text in quotes if it starts with `{` or `[`")
            return nil
        }
        guard node.tag == nil else {
            diagnostics.error("a key cannot carry the tag `\(node.tag ?? "")`", at: mark(event), mend: "remove the tag")
            return nil
        }
        guard !(scalar.isPlain && scalar.text.isEmpty) else {
            diagnostics.error("a key is missing", at: mark(event), mend: "write the key before the `:`")
            return nil
        }
        return isMerge ? .merge : .name(scalar.text)
    }
}
