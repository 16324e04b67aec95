import NIOCore
import Testing

@testable import Orchestrator

@Suite struct BodyAllowanceTests {
    /// A body whose last piece waits until it is told to come.
    private func body(_ size: Int) -> (AsyncThrowingStream<ByteBuffer, any Error>, () -> Void) {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: ByteBuffer.self)
        continuation.yield(ByteBuffer(repeating: 1, count: size))
        return (stream, { continuation.finish() })
    }

    @Test func `bodies together take no more than the limit, small ones go through, and what was read is free again`()
        async throws
    {
        let allowance = BodyAllowance(limit: 100_000)
        let (large, end) = body(120_000)
        let first = Task { try await allowance.read(large, upTo: 1 << 20) }
        let (small, endSmall) = body(32 << 10)
        endSmall()
        #expect(try await allowance.read(small, upTo: 1 << 20).count == 32 << 10)
        // The first one is being read, or will be before long.
        while true {
            let (other, endOther) = body(120_000)
            endOther()
            do {
                _ = try await allowance.read(other, upTo: 1 << 20)
            } catch let failure as WebFailure {
                #expect(failure.status == 503)
                break
            }
            await Task.yield()
        }
        end()
        #expect(try await first.value.count == 120_000)
        let (last, endLast) = body(120_000)
        endLast()
        #expect(try await allowance.read(last, upTo: 1 << 20).count == 120_000)
    }
}
