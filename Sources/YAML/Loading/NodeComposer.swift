/// Builds nodes from events: resolves aliases and merge keys, finds duplicate keys, and keeps to the limits.
///
/// It recurses no deeper than the depth limit.
struct NodeComposer: ~Copyable {
    private var events: EventParser
    private let file: String
    private var budget: LoadBudget
    private var diagnostics = Diagnostics()
    private var anchors: [String: Anchor] = [:]
    /// How many problems are reported at once.
    private static let problems = 100

    /// An anchored node and what an alias of it costs; no node while it is still open.
    private struct Anchor {
        var node: Node?
        var cost = LoadBudget.Cost()
    }

    init(events: consuming EventParser, file: String, limits: YAMLLimits) {
        self.events = events
        self.file = file
        budget = LoadBudget(limits)
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

    private mutating func next() throws(InvalidInput) -> ParserEvent {
        do {
            return try events.next()
        } catch {
            let mark = Mark(file: file, line: error.line, column: error.column)
            throw refusal(error.what, at: mark, hint: error.hint)
        }
    }

    /// Ends the load, with the problems found before.
    private func refusal(_ what: String, at mark: Mark, hint: String? = nil) -> InvalidInput {
        InvalidInput(diagnostics.list + [Diagnostic(.error, at: mark, what, hint: hint)])
    }

    private func mark(_ event: ParserEvent) -> Mark { Mark(file: file, line: event.line, column: event.column) }

    /// Ends the load where a limit is exceeded.
    private func refuse(_ excess: String?, at event: ParserEvent) throws(InvalidInput) {
        if let excess { throw refusal(excess, at: mark(event)) }
    }

    private mutating func node(_ event: ParserEvent, depth: Int) throws(InvalidInput) -> Node {
        if event.kind == .alias { return try expand(event, depth: depth) }
        let cost = LoadBudget.Cost(nodes: 1, bytes: event.text.utf8.count, height: 0)
        guard let anchor = event.anchor else {
            try refuse(budget.spend(cost, depth: depth), at: event)
            return try content(event, depth: depth)
        }
        let account = budget.open(depth: depth)
        try refuse(budget.spend(cost, depth: depth), at: event)
        anchors[anchor] = Anchor()
        let node = try content(event, depth: depth)
        anchors[anchor] = Anchor(node: node, cost: budget.close(account, depth: depth))
        return node
    }

    private mutating func content(_ event: ParserEvent, depth: Int) throws(InvalidInput) -> Node {
        switch event.kind {
        case .sequenceStart: return try sequence(event, depth: depth)
        case .mappingStart: return try mapping(event, depth: depth)
        default: return scalar(event)
        }
    }

    private mutating func expand(_ event: ParserEvent, depth: Int) throws(InvalidInput) -> Node {
        let name = event.anchor ?? ""
        guard let anchor = anchors[name] else {
            let known = nearest(name, in: anchors.keys.sorted().prefix(1000))
            throw refusal(
                "the alias `*\(name)` has no anchor before it", at: mark(event),
                hint: known.map { "did you mean `*\($0)`?" } ?? "put `&\(name)` before the value it stands for")
        }
        guard let node = anchor.node else {
            throw refusal("the alias `*\(name)` is inside the value that it names", at: mark(event))
        }
        try refuse(budget.spend(anchor.cost, depth: depth), at: event)
        return node
    }

    private mutating func scalar(_ event: ParserEvent) -> Node {
        var scalar = Scalar(text: event.text, isPlain: event.isPlain)
        guard let tag = event.tag else { return Node(.scalar(scalar), mark: mark(event)) }
        guard let core = CoreTag(tag) else { return Node(.scalar(scalar), tag: tag, mark: mark(event)) }
        scalar.isPlain = core.isPlain
        if !core.accepts(scalar) {
            diagnostics.error("`\(scalar.text)` is not what its tag `\(core)` says", at: mark(event), hint: core.hint)
        }
        return Node(.scalar(scalar), mark: mark(event))
    }

    private mutating func localTag(_ event: ParserEvent, core expected: String) -> String? {
        guard let tag = event.tag, let core = CoreTag(tag) else { return event.tag }
        if core.name != expected {
            diagnostics.error("the value is not what its tag `\(core)` says", at: mark(event), hint: core.hint)
        }
        return nil
    }

    private mutating func sequence(_ start: ParserEvent, depth: Int) throws(InvalidInput) -> Node {
        let tag = localTag(start, core: "seq")
        var items: [Node] = []
        while true {
            let event = try next()
            if event.kind == .sequenceEnd { return Node(.sequence(items), tag: tag, mark: mark(start)) }
            items.append(try node(event, depth: depth + 1))
        }
    }

    private mutating func mapping(_ start: ParserEvent, depth: Int) throws(InvalidInput) -> Node {
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
    private mutating func key(_ event: ParserEvent, depth: Int) throws(InvalidInput) -> MappingBuilder.Key? {
        let isMerge = event.kind == .scalar && event.isPlain && event.text == "<<"
        let node = try node(event, depth: depth)
        guard let scalar = node.scalar else {
            diagnostics.error(
                "a key must be a scalar", at: mark(event),
                hint: "put the text in quotes if it starts with `{` or `[`")
            return nil
        }
        guard node.tag == nil else {
            diagnostics.error("a key cannot carry the tag `\(node.tag ?? "")`", at: mark(event), hint: "remove the tag")
            return nil
        }
        guard !(scalar.isPlain && scalar.text.isEmpty) else {
            diagnostics.error("a key is missing", at: mark(event), hint: "write the key before the `:`")
            return nil
        }
        return isMerge ? .merge : .name(scalar.text)
    }
}
