/// A repository as `stack.yml` names it: `[https://|git@]host/org/repo[@ref]`, `org/repo` meaning github.com.
package struct RepositoryLocator: Hashable, Sendable, CustomStringConvertible {
    /// Lower case, without user; with a port if one was written.
    package var host: String
    /// `org/repo`, without `.git`.
    package var path: String
    /// A branch, tag or commit; may contain `/`.
    package var reference: String?

    package init(host: String, path: String, reference: String? = nil) {
        self.host = host
        self.path = path
        self.reference = reference
    }

    /// The last part of the path.
    package var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Where a clone stands below the repositories' base directory: `host/org/repo`.
    package var directory: String { "\(host)/\(path)" }

    package var description: String { reference.map { "\(directory)@\($0)" } ?? directory }
}

extension RepositoryLocator {
    /// Reads `[https://|ssh://git@|git@]host/org/repo[.git][@ref]`, `git@host:org/repo` or `org/repo`; nil for anything else, such as a
    /// part that leads out of the base directory or a reference that git would take for an option.
    package init?(_ text: String) {
        var (rest, isFull) = Self.withoutScheme(text)
        if let at = rest.firstIndex(of: "@") {
            let reference = String(rest[rest.index(after: at)...])
            guard Self.isReference(reference) else { return nil }
            self.reference = reference
            rest = rest[..<at]
        }
        var parts = rest.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2, !isFull { parts.insert("github.com", at: 0) }
        isFull = true
        if let last = parts.last, last.hasSuffix(".git") { parts[parts.count - 1] = String(last.dropLast(4)) }
        guard parts.count >= 3, Self.isHost(parts[0]), parts.dropFirst().allSatisfy(isName) else { return nil }
        host = parts[0].lowercased()
        path = parts.dropFirst().joined(separator: "/")
    }

    /// The text behind the scheme and user, with `/` after the host, and whether it must begin with a host.
    private static func withoutScheme(_ text: String) -> (Substring, Bool) {
        for scheme in ["https://", "http://", "ssh://git@", "ssh://"] where text.hasPrefix(scheme) {
            return (text.dropFirst(scheme.count), true)
        }
        guard text.hasPrefix("git@") else { return (text[...], false) }
        let rest = String(text.dropFirst(4))
        guard let colon = rest.firstIndex(of: ":") else { return (rest[...], true) }
        return ((rest[..<colon] + "/" + rest[rest.index(after: colon)...])[...], true)
    }

    private static func isHost(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = parts.first, parts.count <= 2, isName(String(name)) else { return false }
        return parts.count == 1 || UInt16(parts[1]) != nil
    }

    /// Whether git takes the text for a branch, tag or commit: https://git-scm.com/docs/git-check-ref-format
    package static func isReference(_ text: String) -> Bool {
        let forbidden = " ~^:?*[\\\u{7F}"
        return !text.isEmpty && !text.hasPrefix("-") && !text.hasPrefix("/") && !text.hasSuffix("/")
            && !text.hasSuffix(".")
            && !text.hasSuffix(".lock") && !text.contains("..") && !text.contains("//") && !text.contains("@{")
            && !text.unicodeScalars.contains { $0.value < 32 || forbidden.unicodeScalars.contains($0) }
    }
}
