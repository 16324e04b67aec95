/// The streams of a program that a caller owns: nothing of this process's own standard streams, or of its terminal, is touched.
package struct CommandStreams: Sendable {
    /// Receives what the program writes, in order per stream, and holds it back while it works. When it throws, the program is ended.
    package typealias Receiver = @Sendable (OutputStream, [UInt8]) async throws -> Void

    /// What the program reads; the end of the stream is the end of its input. Nil: it reads nothing.
    package var input: AsyncStream<[UInt8]>?
    /// Nil: the program has pipes. Else it has a terminal of its own, on which both of its output streams come as one.
    package var terminal: TerminalSizes?
    package var output: Receiver
    /// Files of the caller's that the program has as its own streams; nothing else here counts then.
    package var files: StreamFiles?

    package init(
        input: AsyncStream<[UInt8]>? = nil, terminal: TerminalSizes? = nil, output: @escaping Receiver
    ) {
        self.input = input
        self.terminal = terminal
        self.output = output
    }

    package init(files: StreamFiles) {
        self.init { _, _ in }
        self.files = files
    }

    /// The same for a program that reads nothing.
    package var withoutInput: CommandStreams {
        var streams = self
        (streams.input, streams.terminal) = (nil, nil)
        streams.files?.input = nil
        return streams
    }
}

/// Open files, by their descriptors, that a caller hands over to a program as its standard streams: a terminal, with all that it can do.
package struct StreamFiles: Hashable, Sendable {
    /// Nil: it reads nothing.
    package var input: Int32?
    package var output: Int32
    package var error: Int32

    package init(input: Int32?, output: Int32, error: Int32) {
        self.input = input
        self.output = output
        self.error = error
    }
}

/// How large a terminal is, now and later.
package struct TerminalSizes: Sendable {
    /// The size that it begins with.
    package var first: TerminalSize
    /// Its later sizes; nil: it stays as it is.
    package var later: AsyncStream<TerminalSize>?

    package init(_ first: TerminalSize = TerminalSize(), later: AsyncStream<TerminalSize>? = nil) {
        self.first = first
        self.later = later
    }
}

/// A terminal's size, in characters.
package struct TerminalSize: Hashable, Sendable {
    package var columns: UInt16
    package var rows: UInt16

    package init(columns: UInt16 = 80, rows: UInt16 = 24) {
        self.columns = columns
        self.rows = rows
    }
}
