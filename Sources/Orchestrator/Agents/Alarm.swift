/// Wakes a loop; many rings before it looks are one.
struct Alarm: Sendable {
    let rings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (rings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
    }

    func ring() { continuation.yield() }

    func ring(at changes: AsyncStream<Int64>, for wanted: @Sendable (Int64) -> Bool) async throws {
        for await change in changes where wanted(change) { ring() }
        try Task.checkCancellation()
    }

    func ring(every interval: Duration) async throws {
        while true {
            try await Task.sleep(for: interval)
            ring()
        }
    }
}
