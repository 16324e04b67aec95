/// What models cost. The table has a version, since prices change and what was spent was spent at the old ones.
package struct Prices: Sendable {
    /// When the table was last compared with the providers' price lists.
    package static let version = "2026-11"

    private let rows: [ModelPrice]

    /// - Parameter own: go before the table.
    package init(_ own: [ModelPrice] = []) { rows = own + Prices.table }

    /// The price of a model; of one that is in no table the dearest known, and that it is so.
    package func price(_ model: String) -> (price: ModelPrice, isKnown: Bool) {
        // OpenRouter and the like put the maker before the name.
        let name = model.lowercased().split(separator: "/").last.map(String.init) ?? ""
        let fitting = rows.filter { name.hasPrefix($0.model) }
        let longest = fitting.map(\.model.utf8.count).max()
        if let row = fitting.first(where: { $0.model.utf8.count == longest }) { return (row, true) }
        return (Prices.dearest, false)
    }

    private static let dearest = ModelPrice("", input: 15_000, output: 75_000, cacheRead: 1_500, cacheWrite: 18_750)

    // Dollars a million tokens, times a thousand.
    private static let table = [
        ModelPrice("claude-opus-4-0", input: 15_000, output: 75_000, cacheRead: 1_500, cacheWrite: 18_750),
        ModelPrice("claude-opus-4-2025", input: 15_000, output: 75_000, cacheRead: 1_500, cacheWrite: 18_750),
        ModelPrice("claude-opus-4-1", input: 15_000, output: 75_000, cacheRead: 1_500, cacheWrite: 18_750),
        ModelPrice("claude-opus-5", input: 4_000, output: 20_000, cacheRead: 200, cacheWrite: 5_000),
        ModelPrice("claude-opus-", input: 5_000, output: 25_000, cacheRead: 500, cacheWrite: 6_250),
        ModelPrice("claude-sonnet-", input: 3_000, output: 15_000, cacheRead: 300, cacheWrite: 3_750),
        ModelPrice("claude-haiku-", input: 1_000, output: 5_000, cacheRead: 100, cacheWrite: 1_250),
        ModelPrice("claude-3-5-haiku", input: 800, output: 4_000, cacheRead: 80, cacheWrite: 1_000),
        ModelPrice("gpt-5", input: 1_250, output: 10_000, cacheRead: 125),
        ModelPrice("gpt-5-mini", input: 250, output: 2_000, cacheRead: 25),
        ModelPrice("gpt-5-nano", input: 50, output: 400, cacheRead: 5),
        ModelPrice("gpt-4.1", input: 2_000, output: 8_000, cacheRead: 500),
        ModelPrice("gpt-4.1-mini", input: 400, output: 1_600, cacheRead: 100),
        ModelPrice("gpt-4o", input: 2_500, output: 10_000, cacheRead: 1_250),
        ModelPrice("o3", input: 2_000, output: 8_000, cacheRead: 500),
        ModelPrice("o4-mini", input: 1_100, output: 4_400, cacheRead: 275),
        ModelPrice("gemini-2.5-pro", input: 1_250, output: 10_000, cacheRead: 125),
        ModelPrice("gemini-2.5-flash", input: 300, output: 2_500, cacheRead: 30),
        ModelPrice("devstral", input: 400, output: 2_000, cacheRead: 400),
        ModelPrice("mistral-", input: 2_000, output: 6_000, cacheRead: 2_000),
    ]
}
