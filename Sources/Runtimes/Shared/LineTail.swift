/// The last lines of a program's output.
package actor LineTail {
    package private(set) var lines: [String] = []
    private let limit: Int

    package init(limit: Int) {
        self.limit = limit
    }

    package func append(_ line: String) {
        lines.append(line)
        if lines.count > limit { lines.removeFirst() }
    }
}
