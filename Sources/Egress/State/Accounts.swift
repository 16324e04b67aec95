/// What a session has asked for and spent: a fold over its log, and the budget's decisions.
package struct Accounts: Sendable {
    private var totals = EgressStatus()
    private let prices: Prices
    private let tokenBudget: Int?
    private var denied: [String: EgressStatus.DeniedName] = [:]
    /// What requests that are being answered may still cost, and in tokens.
    private var reserved = (cost: 0, tokens: 0)

    /// An agent that asks for ever new names must not fill memory or disk.
    package static let deniedLimit = 500
    private static let others = "(others)"

    package init(_ configuration: EgressConfiguration) {
        prices = Prices(configuration.prices)
        tokenBudget = configuration.tokenBudget
        totals.budget = configuration.budget
    }

    package var status: EgressStatus {
        var status = totals
        status.denied = denied.values.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
        return status
    }

    /// A request that was let through; hand it back with ``settle(_:_:time:)`` or ``release(_:)``.
    package struct Reservation: Hashable, Sendable {
        var cost: Int
        var tokens: Int
    }

    /// Takes in an entry of the log.
    package mutating func apply(_ entry: LogEntry) {
        totals.sequence = max(totals.sequence, entry.sequence)
        switch entry.kind {
        case .started: break
        case .refused: totals.refusedByBudget += 1
        case .denied:
            let name = entry.name ?? ""
            denied[name] = EgressStatus.DeniedName(name: name, reason: entry.reason ?? "", count: entry.count ?? 1)
        case .answered: add(entry)
        }
    }

    private mutating func add(_ entry: LogEntry) {
        totals.requests += 1
        totals.usage = totals.usage + (entry.usage ?? TokenUsage())
        totals.cost += entry.cost ?? 0
        if entry.isWhole == false { totals.cutAnswers += 1 }
        if entry.isPriced == false, let model = entry.model, !totals.unpriced.contains(model) {
            totals.unpriced = (totals.unpriced + [model]).sorted()
        }
    }

    /// Counts something that was refused. Nil: the log needs no line, since the count of this name has one that is close enough.
    package mutating func deny(_ name: String, _ reason: DenialReason, time: Int) -> LogEntry? {
        let isNew = denied[name] == nil
        let name = isNew && denied.count >= Accounts.deniedLimit ? Accounts.others : name
        let count = (denied[name]?.count ?? 0) + 1
        var entry = LogEntry(.denied, time: time)
        (entry.name, entry.reason, entry.count) = (name, reason.rawValue, count)
        // One line for 1, 2, 4, 8 … times.
        guard count & (count - 1) == 0 else {
            denied[name]?.count = count
            return nil
        }
        return stamped(entry)
    }

    /// Lets a request through, or says why not. It is let through while what was spent, and a bounded estimate of what is being answered,
    /// is below the budget: the overshoot is what the last answers cost.
    package mutating func reserve(model: String?, requestBytes: Int, outputLimit: Int?) -> Reservation? {
        let tokens = spentTokens
        if let budget = totals.budget, totals.cost + reserved.cost >= budget { return nil }
        if let budget = tokenBudget, tokens + reserved.tokens >= budget { return nil }
        let price = prices.price(model ?? "").price
        let output = min(outputLimit ?? Accounts.usualOutput, Accounts.usualOutput)
        let input = requestBytes / 4
        // Most of a request is usually in the provider's cache.
        let reservation = Reservation(cost: input * price.cacheRead + output * price.output, tokens: input + output)
        reserved.cost += reservation.cost
        reserved.tokens += reservation.tokens
        return reservation
    }

    private static let usualOutput = 1_000

    package mutating func release(_ reservation: Reservation) {
        reserved.cost -= reservation.cost
        reserved.tokens -= reservation.tokens
    }

    /// The line for an answer.
    package mutating func settle(_ result: UsageReader.Result, provider: String, model: String?, status: Int, time: Int)
        -> LogEntry
    {
        let model = result.model ?? model ?? ""
        let (price, isKnown) = prices.price(model)
        var entry = LogEntry(.answered, time: time)
        (entry.provider, entry.model, entry.status) = (provider, String(model.prefix(100)), status)
        (entry.usage, entry.cost) = (result.usage, price.cost(result.usage))
        (entry.isWhole, entry.isPriced) = (result.isWhole, isKnown)
        return stamped(entry)
    }

    package mutating func refusal(time: Int) -> LogEntry { stamped(LogEntry(.refused, time: time)) }

    package mutating func start(time: Int) -> LogEntry { stamped(LogEntry(.started, time: time)) }

    private mutating func stamped(_ entry: LogEntry) -> LogEntry {
        var entry = entry
        entry.sequence = totals.sequence + 1
        apply(entry)
        return entry
    }

    private var spentTokens: Int {
        let usage = totals.usage
        return usage.input + usage.cacheRead + usage.cacheWrite + usage.output
    }

    /// What the CLI shows when the budget is used up.
    package var refusalMessage: String {
        let cost = totals.budget.map { "\(dollars(totals.cost)) of \(dollars($0))" }
        let tokens = tokenBudget.map { "\(spentTokens) of \($0) tokens" }
        let spent = [cost, tokens].compactMap { $0 }.joined(separator: ", ")
        return "the budget of this session is used up: \(spent). Raise it with `budget:` of workspace.yml or --budget."
    }
}

/// Billionths of a dollar as people write them: `$1.24`, and below a cent `$0.0012`.
package func dollars(_ billionths: Int) -> String {
    let digits = billionths < 10_000_000 ? 4 : 2
    let unit = digits == 4 ? 100_000 : 10_000_000
    let rounded = (billionths + unit / 2) / unit
    let scale = digits == 4 ? 10_000 : 100
    let fraction = String(rounded % scale)
    return "$\(rounded / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
}
