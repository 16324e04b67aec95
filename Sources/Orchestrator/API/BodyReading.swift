import ExternalTools
import NIOCore
import Synchronization

/// What the bodies of all requests together may take: whoever sends one is not known before it was read.
final class BodyAllowance: Sendable {
    /// Of each body, in bytes: not counted. No event that people make at a forge comes near the limit, and nearly all are below this.
    private static let small = 32 << 10
    /// Longer than forges wait for an answer.
    private static let deadline = Duration.seconds(30)

    private let limit: Int
    private let held = Mutex(0)

    /// - Parameter limit: in bytes.
    init(limit: Int = 64 << 20) { self.limit = limit }

    /// Reads a body up to a number of bytes.
    ///
    /// - Throws: ``WebFailure``: 413 where it is longer, 503 where others take all there is, 408 where it does not come.
    func read(
        _ body: some AsyncSequence<ByteBuffer, any Error> & Sendable, upTo limit: Int
    ) async throws -> [UInt8] {
        guard let bytes = try await withDeadline(Self.deadline, { try await self.read(all: body, upTo: limit) }) else {
            throw WebFailure(408, "the body did not come within \(Self.deadline.components.seconds) seconds")
        }
        return bytes
    }

    private func read(
        all body: some AsyncSequence<ByteBuffer, any Error> & Sendable, upTo limit: Int
    ) async throws -> [UInt8] {
        var (bytes, counted) = ([UInt8](), 0)
        defer { held.withLock { $0 -= counted } }
        for try await var buffer in body {
            guard bytes.count + buffer.readableBytes <= limit else {
                throw WebFailure(413, "the body is longer than \(limit) bytes")
            }
            let more = max(0, bytes.count + buffer.readableBytes - Self.small) - counted
            guard takes(more) else { throw WebFailure(503, "the server reads too much at once: send it again") }
            counted += more
            bytes += buffer.readBytes(length: buffer.readableBytes) ?? []
        }
        try Task.checkCancellation()
        return bytes
    }

    private func takes(_ count: Int) -> Bool {
        held.withLock { held in
            guard count == 0 || held + count <= limit else { return false }
            held += count
            return true
        }
    }
}
