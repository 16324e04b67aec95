import ExternalTools
import Synchronization

extension ForeignEffect {
    /// Looks at the message of every commit of the work, the oldest first.
    ///
    /// - Throws: ``TaskFailure`` (`refused`) where git does not read them.
    package static func all(in work: CollectedWork, of task: IssueTask) async throws -> [ForeignEffect] {
        let reader = Mutex(MessageReader(task))
        let arguments = [
            // No message holds a NUL.
            "log", "--reverse", "--no-color", "--no-notes", "--no-show-signature", "--format=%x00%h%n%B",
            "\(work.base)..\(work.commit)", "--",
        ]
        do {
            let command = ForgeGit(directory: work.gitDirectory, host: work.host).command(arguments).limited()
            let status = try await command.lines { stream, line throws(CommandFailure) in
                if stream == .standardOutput { reader.withLock { $0.take(line) } }
            }
            guard status == 0 else { throw TaskFailure(.refused, "the work's messages could not be read") }
        } catch let error as CommandFailure {
            throw TaskFailure(.refused, ForgeGit.error(error, "read the work's messages").description)
        }
        return reader.withLock { $0.found }
    }
}

/// Takes the lines of `git log`, and keeps what has an effect.
private struct MessageReader {
    /// Longer lines are named, not searched.
    private static let lineLimit = 4000
    private static let nameLimit = 20
    /// More lines of a message are not searched, which is said.
    private static let linesLimit = 10_000

    private let task: IssueTask
    private(set) var found: [ForeignEffect] = []
    private var commit = ""
    private var lines = 0
    /// The end of the line before: a word and what it closes may stand on two.
    private var tail = ""

    init(_ task: IssueTask) { self.task = task }

    mutating func take(_ line: String) {
        if line.hasPrefix("\0") {
            (commit, tail, lines) = (String(line.dropFirst()), "", 0)
            return
        }
        lines += 1
        guard lines <= Self.linesLimit else {
            if lines == Self.linesLimit + 1 { note("a message of more than \(Self.linesLimit) lines") }
            return
        }
        if line.utf8.count > Self.lineLimit { return note("a line of more than \(Self.lineLimit) bytes") }
        let words = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for name in ClosingWords.references(in: "\(tail) \(words)") where !task.isOwn(name) { note(name) }
        if task.forge == .gitlab, let action = ClosingWords.quickAction(words) { note(action) }
        tail = String(words.suffix(60))
    }

    private mutating func note(_ name: String) {
        if found.last?.commit != commit { found.append(ForeignEffect(commit: commit, names: [])) }
        let last = found.count - 1
        guard found[last].names.count < Self.nameLimit, !found[last].names.contains(name) else { return }
        found[last].names.append(name)
    }
}

extension IssueTask {
    /// Whether a reference, as somebody wrote it, means the task's issue.
    fileprivate func isOwn(_ reference: String) -> Bool {
        let text = reference.lowercased()
        if text.contains("://") {
            return !details.issueURL.isEmpty
                && text.replacing("/-/", with: "/") == details.issueURL.lowercased().replacing("/-/", with: "/")
        }
        guard let sign = text.lastIndex(where: { $0 == "#" || $0 == "-" }),
            Int(text[text.index(after: sign)...]) == issue.number
        else { return false }
        let name = issue.repository.name.lowercased()
        let path = text[..<sign]
        return text[sign] == "-" || path.isEmpty || path == name || name.hasSuffix("/\(path)")
    }
}

/// The words by which forges close, reopen or end what a commit's message names. Those of all forges count everywhere: a warning too many costs a look.
private enum ClosingWords {
    /// What a text would close, as written.
    static func references(in text: String) -> [String] {
        guard text.utf8.contains(where: { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return [] }
        return text.matches(of: sentence).flatMap { found in
            found.1.matches(of: reference).map { String($0.output.drop { !$0.isLetter && !"#!".contains($0) }) }
        }
    }

    /// The quick action of GitLab that a line is; nil where it is none that ends or moves something.
    static func quickAction(_ line: String) -> String? { line.firstMatch(of: action).map { "/\($0.1)" } }

    /// A word, and the list behind it.
    private nonisolated(unsafe) static let sentence =
        #/
        \b (?:clos(?:e[sd]?|ing) | fix(?:e[sd]|ing)? | resolv(?:e[sd]?|ing) | implement(?:s|ed|ing)? | reopen(?:s|ed|ing)?)
        [\s:]+ (?:issues?\s+)?
        ( (?: (?:[,\s]|\band\b)* (?: \S{0,20}?https?:\/\/\S+?\/\d+ | [\w.\-\/]*[\#!]\d+ | gh-\d+ ) )+ )
        /#.ignoresCase().wordBoundaryKind(.simple)
    private nonisolated(unsafe) static let reference =
        /https?:\/\/\S+?\/(?:issues|work_items|pulls?|merge_requests)\/\d+|[\w.\-\/]*[#!]\d+|gh-\d+/.ignoresCase()
    private nonisolated(unsafe) static let action =
        /^\/(close|reopen|duplicate|merge|move|clone|promote|promote_to|promote_to_incident|approve|tag)\b/
        .ignoresCase()
}
