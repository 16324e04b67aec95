/// What the first bytes of a TLS connection say about who it is for.
package enum ServerName: Hashable, Sendable {
    case name(String)
    /// The client has not sent enough yet.
    case incomplete
    /// No TLS, or no name in it.
    case absent

    /// Enough for any ClientHello that a client sends, post-quantum keys included.
    package static let limit = 16 << 10

    /// Reads the server_name of a ClientHello.
    ///
    /// Rule: RFC 8446 section 4.1.2 and RFC 6066 section 3. A hello that is split over several records is put together.
    package init(_ bytes: [UInt8]) {
        var hello: [UInt8] = []
        var position = 0
        while position + 5 <= bytes.count {
            guard bytes[position] == 22, bytes[position + 1] == 3 else { self = .absent; return }
            let length = Int(bytes[position + 3]) << 8 | Int(bytes[position + 4])
            guard length > 0, length <= 16384 else { self = .absent; return }
            hello += bytes[(position + 5)..<min(position + 5 + length, bytes.count)]
            position += 5 + length
            if let needed = ServerName.length(hello), hello.count >= needed {
                self = ServerName.find(hello[4..<needed])
                return
            }
        }
        let isHopeless = bytes.first.map { $0 != 22 } ?? false
        self = isHopeless || bytes.count >= ServerName.limit ? .absent : .incomplete
    }

    private static func length(_ hello: [UInt8]) -> Int? {
        guard hello.count >= 4 else { return nil }
        return 4 + (Int(hello[1]) << 16 | Int(hello[2]) << 8 | Int(hello[3]))
    }

    private static func find(_ hello: ArraySlice<UInt8>) -> ServerName {
        var reader = ByteReader(hello)
        // Version, random, session, cipher suites, compression methods.
        guard reader.skip(34), reader.vector(1) != nil, reader.vector(2) != nil, reader.vector(1) != nil,
            let extensions = reader.vector(2)
        else { return .absent }
        var list = ByteReader(extensions)
        while let type = list.number(2), let body = list.vector(2) {
            guard type == 0 else { continue }
            var names = ByteReader(body)
            var entries = ByteReader(names.vector(2) ?? [])
            guard entries.number(1) == 0, let name = entries.vector(2) else { return .absent }
            return hostName(String(decoding: name, as: UTF8.self)).map { .name($0) } ?? .absent
        }
        return .absent
    }
}

/// Reads numbers and vectors of a binary format, and never past its end.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func skip(_ count: Int) -> Bool {
        guard rest.count >= count else { return false }
        rest = rest.dropFirst(count)
        return true
    }

    mutating func number(_ width: Int) -> Int? {
        guard rest.count >= width else { return nil }
        let value = rest.prefix(width).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(width)
        return value
    }

    /// Bytes with their length before them.
    mutating func vector(_ width: Int) -> ArraySlice<UInt8>? {
        guard let count = number(width), rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
