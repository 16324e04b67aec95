import FoundationEssentials
import Synchronization

/// What `/metrics` shows, in the text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/
package final class Metrics: Sendable {
    private struct State {
        var answers: [Int: Int] = [:]
        var deliveries: [String: Int] = [:]
        /// Counts up to each bound, and the rest.
        var buckets: [Int] = Array(repeating: 0, count: Metrics.bounds.count + 1)
        var seconds = 0.0
    }

    private static let bounds = [0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
    private let state = Mutex(State())

    package init() {}

    func answered(_ status: Int, after duration: Duration) {
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        state.withLock { state in
            state.answers[status, default: 0] += 1
            state.buckets[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
            state.seconds += seconds
        }
    }

    func delivered(_ result: String) { state.withLock { $0.deliveries[result, default: 0] += 1 } }

    func text(_ store: SQLStore) async throws -> String {
        let counts = try await store.counts()
        let agents = try await store.agents()
        let usage = try await store.usage(of: nil, since: .distantPast)
        let snapshot = state.withLock { $0 }
        var lines = Self.http(snapshot)
        lines += Self.metric(
            "so_tasks", "gauge", "Tasks by state.",
            TaskState.allCases.map { state in
                ("state=\"\(state.rawValue)\"", Double(counts[state] ?? 0))
            })
        lines += Self.metric(
            "so_agents", "gauge", "Workspaces of agents by state.",
            AgentRecord.State.allCases.map { state in
                ("state=\"\(state.rawValue)\"", Double(agents.filter { $0.state == state }.count))
            })
        lines += Self.metric(
            "so_tokens_total", "counter", "Tokens that agents have used.",
            [
                ("direction=\"input\"", Double(usage.inputTokens)),
                ("direction=\"output\"", Double(usage.outputTokens)),
            ])
        lines += Self.metric(
            "so_disk_bytes", "gauge", "What projects take of the hosts' disks.",
            try await store.diskUse().sorted { $0.key < $1.key }.map { ("repository=\"\($0.key)\"", Double($0.value)) })
        lines += Self.metric("so_cost_usd_total", "counter", "US dollars that agents have spent.", [("", usage.cost)])
        return lines.joined(separator: "\n") + "\n"
    }

    private static func http(_ state: State) -> [String] {
        var lines = metric(
            "so_webhook_deliveries_total", "counter", "Webhooks by what became of them.",
            state.deliveries.sorted { $0.key < $1.key }.map { ("result=\"\($0.key)\"", Double($0.value)) })
        lines += metric(
            "so_http_requests_total", "counter", "Answers by status.",
            state.answers.sorted { $0.key < $1.key }.map { ("status=\"\($0.key)\"", Double($0.value)) })
        lines += ["# HELP so_http_request_seconds How long answers took.", "# TYPE so_http_request_seconds histogram"]
        var sum = 0
        for (index, bound) in bounds.enumerated() {
            sum += state.buckets[index]
            lines.append("so_http_request_seconds_bucket{le=\"\(bound)\"} \(sum)")
        }
        let count = sum + state.buckets[bounds.count]
        lines.append("so_http_request_seconds_bucket{le=\"+Inf\"} \(count)")
        return lines + ["so_http_request_seconds_sum \(state.seconds)", "so_http_request_seconds_count \(count)"]
    }

    private static func metric(_ name: String, _ type: String, _ help: String, _ values: [(String, Double)]) -> [String]
    {
        let rows = values.map { labels, value in
            let number = value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
            return labels.isEmpty ? "\(name) \(number)" : "\(name){\(labels)} \(number)"
        }
        return ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"] + rows
    }
}
