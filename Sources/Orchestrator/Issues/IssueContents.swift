/// What a task takes from its issue's text.
package enum IssueContents {
    /// The items of the issue's task list, `- [ ] …`, those that are ticked already left out.
    package static func criteria(_ text: String) -> [String] {
        text.split(separator: "\n").prefix(5000).compactMap { line in
            line.wholeMatch(of: /\s*(?:[-*+]|\d{1,3}[.)])\s+\[ \]\s+(\S.*)/).map { String($0.1.prefix(500)) }
        }.prefix(50).map { $0 }
    }

    /// Words of the text that could be paths of the repository; whether they exist is for git to say.
    package static func candidatePaths(_ text: String) -> [String] {
        var found: [String] = []
        for match in text.matches(of: /[A-Za-z0-9_.@+\-]+(?:\/[A-Za-z0-9_.@+\-]+)*/) {
            var path = String(match.output)
            while let last = path.last, ".-+@".contains(last) { path.removeLast() }
            if path.hasPrefix("./") { path.removeFirst(2) }
            let parts = path.split(separator: "/")
            let isName = path.contains("/") || path.contains(".")
            guard isName, path.utf8.count <= 300, parts.allSatisfy({ $0 != ".." && $0 != "." }) else { continue }
            if !found.contains(path) { found.append(path) }
            if found.count == 200 { break }
        }
        return found
    }

    /// The paths that the text names and the repository has.
    package static func relatedFiles(_ text: String, existing: (String) -> Bool) -> [String] {
        Array(candidatePaths(text).filter(existing).prefix(30))
    }

    /// Issues of the same repository that the text says it waits for: `blocked by #3, #4`, `depends on #5`.
    package static func blockers(_ text: String, of number: Int) -> [Int] {
        var found: Set<Int> = []
        let pattern = /(?i)\b(?:blocked[ \-]by|depends[ \-]on)\b:?\s*(#\d{1,9}(?:\s*(?:,|and|&)\s*#\d{1,9})*)/
        for match in text.matches(of: pattern) {
            for part in match.1.split(separator: "#") {
                if let issue = Int(part.prefix { $0.isNumber }), issue != number { found.insert(issue) }
            }
        }
        // Each is asked for at the forge.
        return Array(found.sorted().prefix(20))
    }

    /// The branch of an issue's task: the same whenever it is asked for with the same title.
    package static func branch(_ number: Int, title: String, prefix: String = "so") -> String {
        let words = title.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        var slug = ""
        for word in words where slug.count + word.count < 40 { slug += (slug.isEmpty ? "" : "-") + word }
        return slug.isEmpty ? "\(prefix)/\(number)" : "\(prefix)/\(number)-\(slug)"
    }

    /// The branch of what follows a closed pull request: another one than its own, which may be gone, or hold what was merged already.
    package static func branch(_ branch: String, after pullRequest: Int) -> String {
        let stem = branch.firstRange(of: followUp).map { branch[..<$0.lowerBound] } ?? branch[...]
        return "\(stem)\(followUp)\(pullRequest)"
    }

    /// What ``branch(_:after:)`` has put to a branch's end; empty where it is the first of its task.
    static func generation(of branch: String) -> String {
        branch.firstRange(of: followUp).map { String(branch[$0.lowerBound...]) } ?? ""
    }

    /// In no branch that is made of a title.
    private static let followUp = "_after-"
}
