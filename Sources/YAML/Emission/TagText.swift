/// How a tag is written before its value.
enum TagText {
    /// A local tag as it stands; any other in the verbatim form `!<…>`, with what an URI cannot hold percent-encoded.
    static func written(_ tag: String) -> String {
        let isLocal = tag.first == "!" && tag.utf8.count > 1 && tag.utf8.dropFirst().allSatisfy(isWord)
        return isLocal ? tag : "!<\(String(decoding: tag.utf8.flatMap(encoded), as: UTF8.self))>"
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: "/"), UInt8(ascii: ":"):
            true
        default: false
        }
    }

    private static func encoded(_ byte: UInt8) -> [UInt8] {
        if isWord(byte) || byte == UInt8(ascii: "!") || byte == UInt8(ascii: ",") { return [byte] }
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
