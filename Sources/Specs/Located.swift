package import YAML

/// A value with the place where it was written.
package struct Located<Value: Hashable & Sendable>: Hashable, Sendable {
    package var value: Value
    package var mark: Mark

    package init(_ value: Value, at mark: Mark = .generated) {
        self.value = value
        self.mark = mark
    }
}
