import ExternalTools

/// How many paths trees hold, found without listing them: a few kilobytes of trees that name each other can stand for billions of files, and
/// whatever lists or writes those takes all memory, or all disk.
struct PathCount {
    /// What one tree holds, in all its depth.
    struct Total: Hashable {
        var paths = 0
        /// Of all paths together.
        var bytes = 0

        static let most = 1 << 40

        mutating func add(_ name: Int, _ child: Total) {
            let below = child.paths.multipliedReportingOverflow(by: name + 1)
            paths = min(paths + child.paths, Self.most)
            bytes = min(bytes + child.bytes + (below.overflow ? Self.most : below.partialValue), Self.most)
        }

        /// Whether it is more than any project of people; one that is large itself may grow to twice of what it was.
        func isBeyond(_ base: Total) -> Bool {
            paths > max(2_000_000, 2 * base.paths) || bytes > max(256 << 20, 2 * base.bytes)
        }
    }

    /// What is wrong with the trees; nobody can say it of them in numbers.
    enum Failure: Error {
        /// More levels of folders than git itself takes.
        case tooDeep
        case unreadable(CommandFailure)
    }

    private let git: HostGit
    private var entries: [String: [(name: Int, tree: String?)]] = [:]
    private var totals: [String: Total] = [:]

    init(_ git: HostGit) { self.git = git }

    /// git(1)'s `core.maxTreeDepth`.
    private static let depthLimit = 2048
    private static let atOnce = 1000

    /// Reads all that the trees hold, each tree once.
    mutating func read(_ roots: [String]) async throws(Failure) {
        var (level, depth) = (Set(roots).subtracting(entries.keys), 0)
        while !level.isEmpty {
            guard depth < Self.depthLimit else { throw .tooDeep }
            var rest = level.sorted()[...]
            while !rest.isEmpty {
                try await readEntries(of: rest.prefix(Self.atOnce))
                rest = rest.dropFirst(Self.atOnce)
            }
            level = Set(level.flatMap { entries[$0] ?? [] }.compactMap(\.tree)).subtracting(entries.keys)
            depth += 1
        }
    }

    private mutating func readEntries(of trees: ArraySlice<String>) async throws(Failure) {
        let names = Array((trees.joined(separator: "\n") + "\n").utf8)
        let output: [UInt8]
        do {
            output = try await git.command(["cat-file", "--batch", "--buffer"], input: names).limited().run()
                .standardOutput
        } catch {
            throw .unreadable(error)
        }
        var rest = output[...]
        for tree in trees { entries[tree] = Self.entries(&rest, nameLength: tree.utf8.count / 2) }
    }

    /// Takes `<object> tree <size>`, the tree's `<mode> <name>\0<object>` and a line's end; what is not a tree holds nothing.
    private static func entries(_ rest: inout ArraySlice<UInt8>, nameLength: Int) -> [(name: Int, tree: String?)] {
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return [] }
        let words = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
        rest = rest[(end + 1)...]
        guard words.count == 3, let size = Int(words[2]), rest.count > size else { return [] }
        defer { rest = rest.dropFirst(size + 1) }
        guard words[1] == "tree" else { return [] }
        var (content, found) = (rest.prefix(size), [(name: Int, tree: String?)]())
        while let space = content.firstIndex(of: UInt8(ascii: " ")),
            let zero = content[space...].firstIndex(of: 0), zero + nameLength < content.endIndex
        {
            let isTree = content[..<space].elementsEqual("40000".utf8)
            let object = content[(zero + 1)...(zero + nameLength)]
            found.append((zero - space - 1, isTree ? hexadecimal(object) : nil))
            content = content[(zero + nameLength + 1)...]
        }
        return found
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// What a tree holds that was read.
    mutating func total(_ tree: String) -> Total {
        if let known = totals[tree] { return known }
        var total = Total()
        for entry in entries[tree] ?? [] {
            let child = entry.tree.map { self.total($0) } ?? Total(paths: 1, bytes: 0)
            total.add(entry.name, child)
        }
        totals[tree] = total
        return total
    }
}
