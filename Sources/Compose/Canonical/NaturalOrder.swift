/// The order in which docker compose's YAML writer prints keys: numbers by their value, letters after anything else.
enum NaturalOrder {
    static func isBefore(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.unicodeScalars), Array(right.unicodeScalars))
        guard let place = zip(left, right).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset else {
            return left.count < right.count
        }
        let (one, other) = (left[place], right[place])
        let (isLetter, isOtherLetter) = (one.properties.isAlphabetic, other.properties.isAlphabetic)
        if isLetter && isOtherLetter { return one.value < other.value }
        if isLetter || isOtherLetter {
            let followsDigit = place > 0 && digit(left[place - 1]) != nil
            return followsDigit ? isLetter : isOtherLetter
        }
        let (number, otherNumber) = (number(left, from: place), self.number(right, from: place))
        if number.value != otherNumber.value { return number.value < otherNumber.value }
        if number.end != otherNumber.end { return number.end < otherNumber.end }
        return one.value < other.value
    }

    /// The number that stands at a place, led by the digits before it where a zero begins it.
    private static func number(_ text: [Unicode.Scalar], from start: Int) -> (value: Int, end: Int) {
        var value = 0
        var end = start
        while end < text.count, let digit = digit(text[end]) {
            value = value &* 10 &+ digit
            end += 1
        }
        let before = text[..<start].reversed().prefix { digit($0) != nil }
        if before.contains(where: { $0 != "0" }) {
            value &+= (start..<end).reduce(1) { scale, _ in scale &* 10 }
        }
        return (value, end)
    }

    private static func digit(_ scalar: Unicode.Scalar) -> Int? {
        ("0"..."9").contains(scalar) ? Int(scalar.value) - 48 : nil
    }
}
