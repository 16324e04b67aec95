/// Merges several sources of log lines, each in order by itself, into one in order of time; holds back a source that is far ahead.
actor LogMerger {
    private static let limit = 256

    private var queues: [String: [LogLine]] = [:]
    private var open: Set<String>
    private var producers: [String: [CheckedContinuation<Void, Never>]] = [:]
    private var consumer: CheckedContinuation<Void, Never>?

    init(sources: [String]) {
        open = Set(sources)
        for source in sources { queues[source] = [] }
    }

    func add(_ line: LogLine, from source: String) async {
        queues[source, default: []].append(line)
        wakeConsumer()
        if queues[source, default: []].count >= Self.limit, open.contains(source) {
            await withCheckedContinuation { producers[source, default: []].append($0) }
        }
    }

    /// The source has no more lines.
    func end(_ source: String) {
        open.remove(source)
        wakeConsumer()
    }

    /// The earliest line, once every open source has one; nil when all are at their end.
    func next() async -> LogLine? {
        while open.contains(where: { queues[$0, default: []].isEmpty }) {
            await withCheckedContinuation { consumer = $0 }
        }
        let heads = queues.compactMap { source, lines in lines.first.map { (source, $0) } }
        guard let (source, line) = heads.min(by: { ($0.1.time, $0.0) < ($1.1.time, $1.0) }) else { return nil }
        queues[source]?.removeFirst()
        if queues[source, default: []].count < Self.limit / 2 {
            for producer in producers.removeValue(forKey: source) ?? [] { producer.resume() }
        }
        return line
    }

    private func wakeConsumer() {
        consumer?.resume()
        consumer = nil
    }
}
