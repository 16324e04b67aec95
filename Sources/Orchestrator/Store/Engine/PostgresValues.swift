import CLibPQ

/// A statement's arguments as libpq takes them: text, but bytes as they are.
struct PostgresArguments {
    private var storage: [[UInt8]?] = []
    private var isBinary: [Bool] = []

    private static let byteArray: Oid = 17

    init(_ arguments: [SQLValue]) {
        for argument in arguments {
            switch argument {
            case .null: storage.append(nil)
            case .integer(let value): storage.append(Array("\(value)".utf8))
            case .real(let value): storage.append(Array("\(value)".utf8))
            case .text(let value): storage.append(Self.text(value))
            case .blob(let value): storage.append(value)
            }
            if case .blob = argument { isBinary.append(true) } else { isBinary.append(false) }
        }
    }

    /// PostgreSQL has no text with a zero character in it.
    private static func text(_ value: String) -> [UInt8] {
        let bytes = Array(value.utf8)
        return bytes.contains(0)
            ? Array(
                bytes.split(separator: 0, omittingEmptySubsequences: false).joined(separator: Array("\u{FFFD}".utf8)))
            : bytes
    }

    typealias Call<Result> = (
        Int32, UnsafePointer<Oid>?, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
    ) -> Result

    func withPointers<Result>(_ body: Call<Result>) -> Result {
        let types: [Oid] = isBinary.map { $0 ? Self.byteArray : 0 }
        let lengths = storage.map { Int32($0?.count ?? 0) }
        let formats: [Int32] = isBinary.map { $0 ? 1 : 0 }
        // One buffer of all values, each ended by a zero.
        var bytes: [UInt8] = []
        var offsets: [Int?] = []
        for value in storage {
            offsets.append(value == nil ? nil : bytes.count)
            bytes += (value ?? []) + [0]
        }
        return bytes.withUnsafeBytes { buffer in
            let start = buffer.bindMemory(to: CChar.self).baseAddress
            let values = offsets.map { offset in offset.flatMap { start?.advanced(by: $0) } }
            return body(Int32(storage.count), types, values, lengths, formats)
        }
    }
}

/// Reads the rows of a result by the types that the server names.
enum PostgresRows {
    static func read(_ result: OpaquePointer, _ library: libpq_functions) -> [SQLRow] {
        let width = library.PQnfields(result)
        var columns: [String: Int] = [:]
        for column in 0..<width {
            if let name = library.PQfname(result, column) { columns[String(cString: name)] = Int(column) }
        }
        return (0..<library.PQntuples(result)).map { row in
            SQLRow(columns: columns, values: (0..<width).map { value(result, row, $0, library) })
        }
    }

    private static func value(
        _ result: OpaquePointer, _ row: Int32, _ column: Int32, _ library: libpq_functions
    ) -> SQLValue {
        guard library.PQgetisnull(result, row, column) == 0, let text = library.PQgetvalue(result, row, column) else {
            return .null
        }
        switch library.PQftype(result, column) {
        case 16: return .integer(text.pointee == CChar(bitPattern: UInt8(ascii: "t")) ? 1 : 0)
        case 20, 21, 23: return Int64(String(cString: text)).map { .integer($0) } ?? .null
        case 700, 701, 1700: return Double(String(cString: text)).map { .real($0) } ?? .null
        case 17: return .blob(bytes(text, library))
        default: return .text(String(cString: text))
        }
    }

    private static func bytes(_ text: UnsafeMutablePointer<CChar>, _ library: libpq_functions) -> [UInt8] {
        var length = 0
        return text.withMemoryRebound(to: UInt8.self, capacity: 1) { text in
            guard let decoded = library.PQunescapeBytea(text, &length) else { return [] }
            defer { library.PQfreemem(decoded) }
            return Array(UnsafeBufferPointer(start: decoded, count: length))
        }
    }
}
