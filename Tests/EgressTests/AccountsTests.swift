import Testing

@testable import Egress

@Suite struct AccountsTests {
    private func accounts(budget: Int?) -> Accounts {
        var configuration = EgressConfiguration(session: "s", address: "10.0.0.2", token: "t")
        configuration.budget = budget
        return Accounts(configuration)
    }

    private let answer = UsageReader.Result(
        usage: TokenUsage(input: 1000, output: 100), model: "claude-sonnet-5", isWhole: true)

    @Test func `what answers cost adds up, and the log says the same`() {
        var first = accounts(budget: nil)
        let entries = (0..<3).map { _ in first.settle(answer, provider: "anthropic", model: nil, status: 200, time: 1) }
        var again = accounts(budget: nil)
        for entry in entries { again.apply(entry) }
        #expect(first.status.cost == 3 * (1000 * 3000 + 100 * 15000))
        #expect(again.status == first.status)
        #expect(entries.map(\.sequence) == [1, 2, 3])
    }

    @Test func `a budget that is used up lets no request through`() {
        var accounts = accounts(budget: 4_000_000)
        #expect(accounts.reserve(model: "claude-sonnet-5", requestBytes: 100, outputLimit: 10) != nil)
        _ = accounts.settle(answer, provider: "anthropic", model: nil, status: 200, time: 1)
        #expect(accounts.reserve(model: "claude-sonnet-5", requestBytes: 100, outputLimit: 10) == nil)
        #expect(accounts.refusalMessage.contains("$0.0045 of $0.0040"))
    }

    @Test func `what is being answered counts, so that many at once do not go far beyond`() {
        var accounts = accounts(budget: 40_000_000)
        let through = (0..<100).filter { _ in
            accounts.reserve(model: "claude-sonnet-5", requestBytes: 4000, outputLimit: nil) != nil
        }
        #expect(through.count == 3)
    }

    @Test func `an agent that asks for ever new names fills nothing`() {
        var accounts = accounts(budget: nil)
        let lines = (0..<100_000).compactMap { accounts.deny("x\($0).example", .notAllowed, time: 1) }
        #expect(accounts.status.denied.count <= Accounts.deniedLimit + 1)
        #expect(lines.count < 600)
        #expect(accounts.status.denied.first?.count ?? 0 > 90_000)
    }

    @Test func `a model without a price counts as the dearest, and is named`() {
        var accounts = accounts(budget: nil)
        let result = UsageReader.Result(usage: TokenUsage(input: 1), model: "new-model", isWhole: true)
        _ = accounts.settle(result, provider: "x", model: nil, status: 200, time: 1)
        #expect(accounts.status.unpriced == ["new-model"])
        #expect(accounts.status.cost == 15_000)
    }
}
