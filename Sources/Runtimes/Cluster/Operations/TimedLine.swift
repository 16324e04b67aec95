/// A line of a container's log that was asked for with times. What the kubelet itself says in a log's place, with status 200, has none: that it
/// cannot find the log any more.
struct TimedLine: Hashable {
    /// RFC 3339.
    var time: String
    var text: String

    /// Nil: the container has not written it.
    init?(_ line: String) {
        let space = line.utf8.firstIndex(of: UInt8(ascii: " ")) ?? line.endIndex
        let time = line[..<space]
        guard Self.isTime(Array(time.utf8)) else { return nil }
        self.time = String(time)
        text = space < line.endIndex ? String(line[line.utf8.index(after: space)...]) : ""
    }

    /// `2026-01-31T12:00:00.123456789Z`, or with an offset.
    private static func isTime(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T") else { return false }
        let digits = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18]
        return digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[$0]) }
    }
}
