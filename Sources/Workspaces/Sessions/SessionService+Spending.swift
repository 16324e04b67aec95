import Egress
package import YAML

extension SessionService {
    /// What a session's agent has spent and asked for in vain, by name, for people and programs to read; empty where it has no egress.
    package func spending(_ record: SessionRecord) async throws -> [(name: String, value: Node)] {
        guard let status = try await egress(record) else { return [] }
        let input = status.usage.input + status.usage.cacheRead + status.usage.cacheWrite
        return [
            ("requests", .plain("\(status.requests)")), ("tokens-in", .plain("\(input)")),
            ("tokens-out", .plain("\(status.usage.output)")), ("cost", .string(Self.dollars(status.cost))),
            ("budget", status.budget.map { .string(Self.dollars($0)) } ?? .plain("null")),
            ("refused-by-budget", .plain("\(status.refusedByBudget)")),
            ("denied", .list(status.denied.map { .string("\($0.name): \($0.reason), \($0.count) times") })),
        ]
    }

    /// Billionths of a dollar as dollars, to a hundredth of a cent.
    static func dollars(_ billionths: Int) -> String {
        let parts = (billionths + 50_000) / 100_000
        let rest = "\(parts % 10_000)"
        return "$\(parts / 10_000).\(String(repeating: "0", count: 4 - rest.utf8.count))\(rest)"
    }
}
