/// The last lines of a program's output.
actor LineTail {
    private(set) var lines: [String] = []
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    func append(_ line: String) {
        lines.append(line)
        if lines.count > limit { lines.removeFirst() }
    }
}
