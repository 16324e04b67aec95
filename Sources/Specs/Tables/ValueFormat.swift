import Compose
import OrderedCollections
import YAML

/// How the value of a key is written: what may be there, how it is read, and how it is written again.
struct ValueFormat<Value>: Sendable {
    var shape: Shape
    /// Reads a node that fits the shape; nil where it says nothing. The diagnostics receive what a shape cannot tell.
    var decode: @Sendable (Node, inout Diagnostics) -> Value?
    /// nil: a value that is not written.
    var encode: @Sendable (Value) -> Node?
}

extension ValueFormat where Value: Sendable {
    /// The same text for another type.
    func converted<Other>(
        _ read: @escaping @Sendable (Value) -> Other?, _ written: @escaping @Sendable (Other) -> Value
    ) -> ValueFormat<Other> {
        ValueFormat<Other>(shape: shape) { node, diagnostics in
            decode(node, &diagnostics).flatMap(read)
        } encode: {
            encode(written($0))
        }
    }

    /// Reports what is wrong with a value that fits its shape.
    func checked(_ check: @escaping @Sendable (Node, Value, inout Diagnostics) -> Void) -> ValueFormat {
        ValueFormat(
            shape: shape,
            decode: { node, diagnostics in
                guard let value = decode(node, &diagnostics) else { return nil }
                check(node, value, &diagnostics)
                return value
            }, encode: encode)
    }

    /// An empty value stands for another one.
    func emptyMeans(_ value: Value) -> ValueFormat {
        ValueFormat(
            shape: .nullable(shape),
            decode: { node, diagnostics in node.isNull ? value : decode(node, &diagnostics) }, encode: encode)
    }

    /// A value that may be empty.
    static func nullable<Wrapped>(_ inner: ValueFormat<Wrapped>) -> ValueFormat where Value == Wrapped? {
        ValueFormat(shape: .nullable(inner.shape)) { node, diagnostics in
            node.isNull ? .some(nil) : inner.decode(node, &diagnostics)
        } encode: { value in
            value.flatMap(inner.encode) ?? .plain("null")
        }
    }

    /// A value with its place.
    static func located<Inner>(_ inner: ValueFormat<Inner>) -> ValueFormat where Value == Located<Inner> {
        ValueFormat(shape: inner.shape) { node, diagnostics in
            inner.decode(node, &diagnostics).map { Located($0, at: node.mark) }
        } encode: {
            inner.encode($0.value)
        }
    }
}

extension ValueFormat where Value == String {
    /// Any scalar, taken as its text.
    static var text: ValueFormat {
        ValueFormat(shape: .text) { node, _ in
            node.text
        } encode: {
            .string($0)
        }
    }

    /// A text that a rule accepts.
    static func text(_ rule: TextRule) -> ValueFormat {
        ValueFormat(shape: .checked(rule), decode: Self.text.decode, encode: Self.text.encode)
    }
}

extension ValueFormat where Value == Int {
    static func integer(_ range: ClosedRange<Int>) -> ValueFormat {
        ValueFormat(shape: .integer(range)) { node, _ in
            node.text.flatMap { Int($0) }
        } encode: {
            .plain(String($0))
        }
    }
}

extension ValueFormat where Value == Bool {
    /// `true` or `false` in any case, quoted too.
    static var bool: ValueFormat {
        ValueFormat(shape: .bool) { node, _ in
            Specs.bool(node)
        } encode: {
            .plain(String($0))
        }
    }

    /// A bool that is false where it is not written.
    static var flag: ValueFormat {
        ValueFormat(shape: .bool, decode: Self.bool.decode) { $0 ? .plain("true") : nil }
    }
}

extension ValueFormat where Value: RawRepresentable<String> & CaseIterable & Sendable & Equatable {
    /// One of the type's values.
    ///
    /// - Parameters:
    ///   - implied: the value that is not written.
    ///   - synonyms: other texts for some of the values.
    static func choice(implied: Value? = nil, synonyms: [String: Value] = [:]) -> ValueFormat {
        let texts = Value.allCases.map(\.rawValue) + synonyms.keys.sorted()
        return ValueFormat(shape: .checked(.oneOf(texts))) { node, _ in
            node.text.flatMap { Value(rawValue: $0) ?? synonyms[$0] }
        } encode: {
            $0 == implied ? nil : .string($0.rawValue)
        }
    }
}

extension ValueFormat where Value == Located<Quantity> {
    static var cpus: ValueFormat {
        located(ValueFormat<String>.text(.cpus).converted({ Quantity(cpus: $0) }, { $0.text }))
    }

    static var bytes: ValueFormat {
        located(ValueFormat<String>.text(.bytes).converted({ Quantity(bytes: $0) }, { $0.text }))
    }
}

extension ValueFormat where Value == RouteTarget {
    /// `service:port`.
    static var servicePort: ValueFormat {
        ValueFormat<String>.text(.servicePort).converted({ RouteTarget($0) }, { $0.description })
    }
}

extension ValueFormat {
    static func list<Element>(_ item: ValueFormat<Element>) -> ValueFormat where Value == [Element] {
        ValueFormat(shape: .list(item.shape)) { node, diagnostics in
            var result: [Element] = []
            for node in node.sequence ?? [] {
                if let value = item.decode(node, &diagnostics) { result.append(value) }
            }
            return result
        } encode: { values in
            .list(values.compactMap(item.encode))
        }
    }

    /// Free names with values of one format.
    static func map<Element>(
        _ names: TextRule, _ format: ValueFormat<Element>
    ) -> ValueFormat where Value == OrderedDictionary<String, Element> {
        map(names, format.shape) { entry, diagnostics in
            format.decode(entry.value, &diagnostics)
        } encode: {
            format.encode($0)
        }
    }

    /// Free names with values whose place is that of their names.
    static func keyed<Element>(
        _ names: TextRule, _ format: ValueFormat<Element>
    ) -> ValueFormat where Value == OrderedDictionary<String, Located<Element>> {
        map(names, format.shape) { entry, diagnostics in
            format.decode(entry.value, &diagnostics).map { Located($0, at: entry.keyMark) }
        } encode: {
            format.encode($0.value)
        }
    }

    /// Free names with values that are read together with their names.
    static func map<Element>(
        _ names: TextRule, _ shape: Shape,
        decode: @escaping @Sendable (Mapping.Entry, inout Diagnostics) -> Element?,
        encode: @escaping @Sendable (Element) -> Node?
    ) -> ValueFormat where Value == OrderedDictionary<String, Element> {
        ValueFormat(shape: .mapping(names, shape)) { node, diagnostics in
            var result: OrderedDictionary<String, Element> = [:]
            for entry in node.mapping?.entries ?? [] {
                if let value = decode(entry, &diagnostics) { result[entry.key] = value }
            }
            return result
        } encode: { values in
            .map(values.compactMap { key, value in encode(value).map { (key, $0) } })
        }
    }

    /// A mapping with keys of its own.
    ///
    /// - Parameters:
    ///   - key: whose place is the value's; nil: the mapping's own.
    ///   - empty: the value that the keys are read into.
    static func record(
        _ table: SpecTable<Value>, markedBy key: String? = nil, _ empty: @escaping @Sendable (Mark) -> Value
    ) -> ValueFormat {
        ValueFormat(shape: table.shape) { node, diagnostics in
            guard table.keys.allSatisfy({ !$0.field.isRequired || node.value($0.field.name) != nil }) else {
                return nil
            }
            var value = empty((key.flatMap { node.value($0) } ?? node).mark)
            table.read(node, into: &value, &diagnostics)
            return value
        } encode: {
            .map(table.pairs($0))
        }
    }
}
