/// A value that a statement takes or a row gives.
enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    init(_ value: Int) { self = .integer(Int64(value)) }
    init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
    init(_ value: String?) { self = value.map { .text($0) } ?? .null }
    init(_ value: Double?) { self = value.map { .real($0) } ?? .null }
}

/// One row of a result; a column that is absent or of another type reads as nil.
struct SQLRow: Sendable {
    private let columns: [String: Int]
    private let values: [SQLValue]

    init(columns: [String: Int], values: [SQLValue]) {
        self.columns = columns
        self.values = values
    }

    subscript(_ column: String) -> SQLValue { columns[column].map { values[$0] } ?? .null }

    func integer(_ column: String) -> Int64? {
        switch self[column] {
        case .integer(let value): value
        case .real(let value): Int64(exactly: value)
        case .null, .text, .blob: nil
        }
    }

    func real(_ column: String) -> Double? {
        switch self[column] {
        case .real(let value): value
        case .integer(let value): Double(value)
        case .null, .text, .blob: nil
        }
    }

    func text(_ column: String) -> String? {
        if case .text(let value) = self[column] { value } else { nil }
    }

    func blob(_ column: String) -> [UInt8]? {
        if case .blob(let value) = self[column] { value } else { nil }
    }
}
