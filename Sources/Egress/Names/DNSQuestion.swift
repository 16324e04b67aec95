/// A question to the name server, and its answer: the egress's own address, or that there is no such name. Nothing is asked elsewhere.
///
/// Rule: RFC 1035 section 4.
package struct DNSQuestion: Hashable, Sendable {
    /// In lower case, without the final dot.
    package let name: String
    package let type: UInt16
    private let identifier: [UInt8]
    private let flags: UInt8
    /// The question as it is in the message.
    private let section: [UInt8]

    package static let typeA: UInt16 = 1

    /// - Returns: nil where the message is not a query with one question.
    package init?(_ message: [UInt8]) {
        guard message.count >= 17, message[2] & 0xf8 == 0, message[4] == 0, message[5] == 1 else { return nil }
        guard let (labels, end) = DNSQuestion.labels(message, at: 12), end + 4 <= message.count else { return nil }
        guard let name = hostName(labels.joined(separator: ".")) else { return nil }
        self.name = name
        type = UInt16(message[end]) << 8 | UInt16(message[end + 1])
        identifier = Array(message[0..<2])
        flags = message[2]
        section = Array(message[12..<end + 4])
    }

    /// A question has no compressed names: a pointer would let a message of a few bytes stand for a long name.
    private static func labels(_ message: [UInt8], at start: Int) -> ([String], Int)? {
        var labels: [String] = []
        var position = start
        while position < message.count, message[position] != 0 {
            let length = Int(message[position])
            guard length <= 63, position + 1 + length < message.count, labels.count < 128 else { return nil }
            labels.append(String(decoding: message[position + 1..<position + 1 + length], as: UTF8.self))
            position += 1 + length
        }
        return position < message.count ? (labels, position + 1) : nil
    }

    /// The addresses of IPv4 in a message that answers; nil where it cannot be read.
    package static func addresses(inAnswer message: [UInt8]) -> [IPAddress]? {
        guard message.count > 12, let (_, end) = labels(message, at: 12) else { return nil }
        var (position, found) = (end + 4, [IPAddress]())
        for _ in 0..<(Int(message[6]) << 8 | Int(message[7])) {
            // A pointer, or labels that end with a zero or a pointer.
            while position < message.count, message[position] != 0, message[position] < 0xc0 {
                position += 1 + Int(message[position])
            }
            guard position < message.count else { return nil }
            position += message[position] == 0 ? 1 : 2
            guard position + 10 <= message.count else { return nil }
            let length = Int(message[position + 8]) << 8 | Int(message[position + 9])
            let value = position + 10
            guard value + length <= message.count else { return nil }
            if message[position] == 0, message[position + 1] == typeA, length == 4 {
                guard let address = IPAddress(message[value..<value + 4].map { "\($0)" }.joined(separator: ".")) else {
                    return nil
                }
                found.append(address)
            }
            position = value + length
        }
        return found
    }

    /// The answer for a name that there is: its address where one of IPv4 was asked for, else nothing.
    package func answer(_ address: IPAddress) -> [UInt8] {
        guard type == DNSQuestion.typeA, address.bytes.count == 4 else { return message(answers: 0, code: 0) }
        let record: [UInt8] = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 30, 0, 4]
        return message(answers: 1, code: 0) + record + address.bytes
    }

    /// NXDOMAIN: a resolver that is refused would ask another server, or again.
    package var denial: [UInt8] { message(answers: 0, code: 3) }

    private func message(answers: UInt8, code: UInt8) -> [UInt8] {
        identifier + [0x84 | flags & 1, 0x80 | code, 0, 1, 0, answers, 0, 0, 0, 0] + section
    }
}
