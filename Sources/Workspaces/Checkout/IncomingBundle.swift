import Glibc

/// A git bundle that came out of a pod, in a file: its header read and judged, its pack not yet looked at.
///
/// The agent may have written all of it. A reference whose name git or a file system could stumble over is kept under a name of ours.
struct IncomingBundle: Sendable {
    /// What the pod's references point to, by the name that they get.
    var references: [String: String] = [:]
    /// Where the pack begins in the file.
    var packOffset = 0
    /// References that got another name, as a user is told.
    var renamed: [String] = []

    /// More than any header of ours, in bytes.
    static let headerLimit = 4 << 20
    static let referenceLimit = 20_000

    /// - Throws: ``WorkspaceError`` (`failed`) where it is not a bundle, or names too much.
    init(file: String, session: SessionID) throws(WorkspaceError) {
        try self.init(Self.header(of: file), session: session)
    }

    init(_ header: [UInt8], session: SessionID) throws(WorkspaceError) {
        var rest = header[...]
        guard Self.line(&rest) == "# v2 git bundle" else { throw Self.refused("it is not a git bundle") }
        while let line = Self.line(&rest) {
            if line.isEmpty {
                packOffset = rest.startIndex
                separate(session)
                return
            }
            if line.hasPrefix("-") { continue }
            try add(line, session: session)
        }
        throw Self.refused("its header has no end")
    }

    private mutating func add(_ line: String, session: SessionID) throws(WorkspaceError) {
        let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard words.count == 2, Self.isObject(words[0]) else {
            throw Self.refused("a line of its header is not a reference")
        }
        guard references.count < Self.referenceLimit else {
            throw Self.refused("it has more than \(Self.referenceLimit) references")
        }
        // What an earlier collection brought is not for this one to name.
        let isGood =
            words[1].hasPrefix(session.references) && isReferenceName(words[1])
            && !["earlier", "renamed", "base"].contains(words[1].split(separator: "/").dropFirst(3).first)
        let name = isGood ? words[1] : "\(session.references)renamed/\(renamed.count + 1)"
        if !isGood { renamed.append("\(words[1]) is kept as \(name)") }
        references[name] = words[0]
    }

    /// Gives names that stand in each other's way, such as `a` and `a/b`, another one each: the shorter stays.
    private mutating func separate(_ session: SessionID) {
        for name in references.keys.sorted() {
            let parts = name.split(separator: "/")
            let isBelow = (4..<max(4, parts.count)).contains {
                references[parts[..<$0].joined(separator: "/")] != nil
            }
            guard isBelow, let object = references.removeValue(forKey: name) else { continue }
            let other = "\(session.references)renamed/\(renamed.count + 1)"
            renamed.append("\(name) is kept as \(other)")
            references[other] = object
        }
    }

    private static func isObject(_ text: String) -> Bool {
        (text.utf8.count == 40 || text.utf8.count == 64)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
    }

    private static func line(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return String(decoding: rest[..<end], as: UTF8.self)
    }

    private static func header(of file: String) throws(WorkspaceError) -> [UInt8] {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw refused("its file cannot be read") }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: headerLimit)
        var count = 0
        while count < buffer.count {
            let more = buffer[count...].withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if more < 0 && errno == EINTR { continue }
            guard more > 0 else { break }
            count += more
        }
        return Array(buffer[..<count])
    }

    static func refused(_ reason: String) -> WorkspaceError {
        WorkspaceError(
            .refused, "what came out of the session's pod was refused: \(reason)",
            hint: "the work is still in the session's volume: open it with `so session shell`")
    }
}

/// Whether a reference's name is one that every git and file system takes: the rules of git-check-ref-format(1), no part that reads as an
/// option or is longer than a file's name may be, printable characters only.
func isReferenceName(_ name: String) -> Bool {
    guard name.utf8.count <= 1000, !name.hasSuffix("."), !name.contains(".."), !name.contains("@{") else {
        return false
    }
    let forbidden = Set(" ~^:?*[\\\u{7F}".unicodeScalars)
    guard
        name.unicodeScalars.allSatisfy({
            $0.value >= 0x20 && !(0x80...0x9F).contains($0.value) && !forbidden.contains($0)
        })
    else { return false }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count >= 3
        && parts.allSatisfy { part in
            !part.isEmpty && part.utf8.count <= 200 && !part.hasPrefix(".") && !part.hasPrefix("-")
                && !part.hasSuffix(".lock")
        }
}
