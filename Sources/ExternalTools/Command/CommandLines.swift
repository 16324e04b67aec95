extension Command {
    /// The longest line that is handed out in one piece, in bytes; a longer one comes in several.
    package static let lineLimit = 256 << 10

    /// Hands every line of both streams to the closure as it comes and returns the exit code.
    ///
    /// Lines end at LF (a CR before it goes with it); the last one may lack it. Bytes that are not UTF-8 are replaced.
    package func lines(
        _ body: @escaping @Sendable (OutputStream, String) async throws(CommandFailure) -> Void
    ) async throws(CommandFailure) -> Int {
        let splitter = LineSplitter()
        let status = try await stream { stream, bytes throws(CommandFailure) in
            for line in await splitter.lines(adding: bytes, to: stream) { try await body(stream, line) }
        }
        for (stream, line) in await splitter.rest() { try await body(stream, line) }
        return status
    }
}

/// Cuts two streams of bytes into lines.
private actor LineSplitter {
    private var pending: [OutputStream: [UInt8]] = [:]

    func lines(adding bytes: [UInt8], to stream: OutputStream) -> [String] {
        var buffer = pending[stream] ?? []
        pending[stream] = nil
        buffer += bytes
        var lines: [String] = []
        var start = buffer.startIndex
        while let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(text(buffer[start..<end]))
            start = end + 1
        }
        if buffer.endIndex - start > Command.lineLimit {
            lines.append(text(buffer[start...]))
            start = buffer.endIndex
        }
        pending[stream] = Array(buffer[start...])
        return lines
    }

    func rest() -> [(OutputStream, String)] {
        let rest = pending.filter { !$0.value.isEmpty }.map { ($0.key, text($0.value[...])) }
        pending = [:]
        return rest
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes, as: UTF8.self)
    }
}
