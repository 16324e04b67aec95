/// What an input has cost so far, aliases expanded, against its limits.
struct LoadBudget {
    /// What a value costs: itself and all that it holds.
    struct Cost {
        var nodes = 0
        var bytes = 0
        /// The levels of values below it.
        var height = 0
    }

    private let limits: YAMLLimits
    private var nodes = 0
    private var bytes = 0
    /// The greatest depth since the innermost open account began.
    private var deepest = 0

    init(_ limits: YAMLLimits) { self.limits = limits }

    /// Adds a value at a depth; returns which limit that exceeds, if any.
    mutating func spend(_ cost: Cost, depth: Int) -> String? {
        nodes += cost.nodes
        bytes += cost.bytes
        deepest = max(deepest, depth + cost.height)
        if deepest > limits.depth { return "the document nests deeper than \(limits.depth) levels" }
        if nodes > limits.nodes { return "the document holds more than \(limits.nodes) values, aliases expanded" }
        if bytes > limits.expandedBytes {
            return "the document holds more than \(limits.expandedBytes) bytes of text, aliases expanded"
        }
        return nil
    }

    /// What had been spent when an anchored value began.
    struct Account {
        fileprivate var nodes: Int
        fileprivate var bytes: Int
        fileprivate var deepest: Int
    }

    /// Begins to count what a value at a depth costs.
    mutating func open(depth: Int) -> Account {
        defer { deepest = depth }
        return Account(nodes: nodes, bytes: bytes, deepest: deepest)
    }

    /// What was spent since an account was opened.
    mutating func close(_ account: Account, depth: Int) -> Cost {
        let cost = Cost(nodes: nodes - account.nodes, bytes: bytes - account.bytes, height: deepest - depth)
        deepest = max(deepest, account.deepest)
        return cost
    }
}
