/// The keys that lead to a value, innermost first: cheap to extend, and seldom read.
final class CodingPath: Sendable {
    private let key: any CodingKey
    private let parent: CodingPath?

    init(_ key: any CodingKey, after parent: CodingPath?) {
        self.key = key
        self.parent = parent
    }

    static func keys(_ path: CodingPath?) -> [any CodingKey] {
        var keys: [any CodingKey] = []
        var path = path
        while let step = path {
            keys.append(step.key)
            path = step.parent
        }
        return keys.reversed()
    }
}

/// The key of a list's item.
struct IndexKey: CodingKey {
    var intValue: Int?
    var stringValue: String { String(intValue ?? 0) }

    init(_ index: Int) { intValue = index }
    init?(intValue: Int) { self.init(intValue) }
    init?(stringValue: String) { nil }
}

/// A mapping's key that no type declares.
struct NameKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
